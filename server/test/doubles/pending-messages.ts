/** A message on its way to a browser, kept until the browser says that it has it. */
export interface PendingMessage<Content> {
  readonly id: string;
  /** The subscription it is for. */
  readonly channel: string;
  readonly topic: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly content: Content;
}

/** Messages that one browser is still owed, in order of arrival. */
export class PendingMessages<Content> {
  readonly #messages = new Map<string, PendingMessage<Content>>();

  /** Keeps a message; one of the same topic that still waits is replaced (RFC 8030 section 5.4). */
  hold(message: PendingMessage<Content>): void {
    for (const { id, channel, topic } of this.#messages.values()) {
      if (topic !== null && topic === message.topic && channel === message.channel) {
        this.#messages.delete(id);
      }
    }
    this.#messages.set(message.id, message);
  }

  /** Forgets a message that has arrived; an unknown id is no error. */
  acknowledge(id: string): void {
    this.#messages.delete(id);
  }

  /** Forgets what has expired and returns the rest (RFC 8030 section 5.2). */
  waiting(nowMs: number): readonly Content[] {
    for (const { id, expiresAtMs } of this.#messages.values()) {
      if (expiresAtMs <= nowMs) this.#messages.delete(id);
    }
    return [...this.#messages.values()].map(({ content }) => content);
  }
}
