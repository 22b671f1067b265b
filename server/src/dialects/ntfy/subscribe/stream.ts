import type { AddressedMessage, AppConnection, Subscription } from "#apps/app-streams.ts";
import type { DialectDeps } from "../../dialect.ts";
import { decodeExtras } from "../../extras.ts";
import { StreamProof } from "../../stream-proof.ts";
import type { Wire } from "../../wire.ts";
import { encodeAppMessage, encodeEvent, toSeconds, type EncodedEvent } from "./app-event.ts";
import type { MessageFilter } from "./filter.ts";

/** Apps give up on a connection without a sign of life: ntfy's Android app after 77 s. */
const KEEPALIVE_MS = 45_000;

/** The connection of a stream, and the format and the filter of its messages. */
export interface NtfyStreamOptions {
  readonly wire: Wire;
  readonly transport: AppConnection["transport"];
  readonly format: (event: EncodedEvent) => string;
  readonly subscriptions: readonly Subscription[];
  readonly matches: MessageFilter;
  readonly isFiltered: boolean;
}

/**
 * A stream of ntfy: the event `open`, then messages, and a `keepalive` every 45 s where there are no pings. It begins with
 * its first message or with `start`; until then its request can still be refused.
 */
export class NtfyStream implements AppConnection {
  readonly transport: AppConnection["transport"];
  readonly subscriptions: readonly Subscription[];
  readonly matches: MessageFilter;
  readonly isFiltered: boolean;
  readonly ping: ((number: number) => void) | null;
  readonly onPong: StreamProof["onPong"];
  /** Takes over the opened stream. */
  readonly attach: StreamProof["attach"];
  readonly #deps: Pick<DialectDeps, "context" | "baseUrl">;
  readonly #wire: Wire;
  readonly #format: (event: EncodedEvent) => string;

  constructor(
    deps: Pick<DialectDeps, "context" | "baseUrl">,
    { wire, transport, format, subscriptions, matches, isFiltered }: NtfyStreamOptions,
  ) {
    this.#deps = deps;
    this.#wire = wire;
    this.#format = format;
    this.transport = transport;
    this.subscriptions = subscriptions;
    this.matches = matches;
    this.isFiltered = isFiltered;
    const proof = new StreamProof(wire);
    this.ping = wire.ping === null ? null : proof.ping;
    this.onPong = proof.onPong;
    this.attach = proof.attach;
  }

  /** Sends the event `open`, and starts the `keepalive`, unless that was done. */
  start(): void {
    if (this.#wire.hasBegun || !this.#wire.isOpen) return;
    this.#sendWithoutWaiting("open", this.#allTopics);
    if (this.ping !== null || !this.#wire.isOpen) return;
    const keepalive = () => this.#sendWithoutWaiting("keepalive", this.#allTopics);
    const timer = setInterval(keepalive, KEEPALIVE_MS);
    this.#wire.onClose(() => clearInterval(timer));
  }

  async write(message: AddressedMessage): Promise<void> {
    this.start();
    await this.#wire.write(this.#format(encodeAppMessage(message, this.#deps)));
  }

  /**
   * Sends the event for every topic, because the app may have got the notification under any. An app knows a message by the
   * sequence id that its sender gave it, otherwise by its id.
   */
  readonly clear: AppConnection["clear"] = ({ notificationId, extras }) => {
    // Until its stream has begun, an app has no message of it, and expects `open` first.
    if (!this.#wire.hasBegun) return;
    const sequence_id = decodeExtras(extras).sequenceId ?? notificationId;
    for (const { topic } of this.subscriptions) {
      this.#sendWithoutWaiting("message_clear", topic, { sequence_id });
    }
  };

  readonly destroy = (): void => this.#wire.destroy();

  get #allTopics(): string {
    return this.subscriptions.map(({ topic }) => topic).join(",");
  }

  /** Sends an event that needs no proof. A connection that closes meanwhile ends the stream by itself. */
  #sendWithoutWaiting(
    event: "open" | "keepalive" | "message_clear",
    topic: string,
    members: { readonly sequence_id?: string } = {},
  ): void {
    const { newId, now } = this.#deps.context;
    const encoded = encodeEvent({ id: newId(), time: toSeconds(now()), event, topic, ...members });
    this.#wire.write(this.#format(encoded)).catch(() => {});
  }
}
