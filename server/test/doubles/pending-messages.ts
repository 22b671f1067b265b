/** A message to a browser, stored until the browser acknowledges it. */
export interface PendingMessage<Content> {
  readonly id: string;
  /** The id of the subscription that the message was sent to. */
  readonly subscriptionId: string;
  readonly topic: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly content: Content;
}

/** A browser's pending messages, in order of arrival. */
export class PendingMessages<Content> {
  readonly #messages = new Map<string, PendingMessage<Content>>();

  /** Adds a message. Replaces a pending one with the same topic (RFC 8030 section 5.4). */
  add(message: PendingMessage<Content>): void {
    for (const { id, subscriptionId, topic } of this.#messages.values()) {
      if (topic !== null && topic === message.topic && subscriptionId === message.subscriptionId) {
        this.#messages.delete(id);
      }
    }
    this.#messages.set(message.id, message);
  }

  /** Removes a message that the browser has received. Ignores unknown ids. */
  acknowledge(id: string): void {
    this.#messages.delete(id);
  }

  /** Drops expired messages and returns the others (RFC 8030 section 5.2). */
  listUnexpired(nowMs: number): readonly Content[] {
    for (const { id, expiresAtMs } of this.#messages.values()) {
      if (expiresAtMs <= nowMs) this.#messages.delete(id);
    }
    return [...this.#messages.values()].map(({ content }) => content);
  }
}
