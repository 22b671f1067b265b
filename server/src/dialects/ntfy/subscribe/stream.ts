import type {
  AddressedMessage,
  AppConnection,
  OpenStream,
  Subscription,
} from "#apps/app-streams.ts";
import type { DialectDeps } from "../../dialect.ts";
import { decodeExtras } from "../../extras.ts";
import type { Wire } from "../../wire.ts";
import { encodeAppMessage, encodeEvent, toSeconds, type EncodedEvent } from "./app-event.ts";
import type { MessageFilter } from "./filter.ts";

/** Maximum number of messages whose own sequence ids a stream remembers. */
const SEQUENCE_IDS_MAX = 200;
/** Apps give up on a connection without a sign of life: ntfy's Android app after 77 s. */
const KEEPALIVE_MS = 45_000;

/** The connection of a stream, and its messages. */
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
  readonly #deps: Pick<DialectDeps, "context" | "baseUrl">;
  readonly #wire: Wire;
  readonly #format: (event: EncodedEvent) => string;
  /** The sequence ids of the latest messages that have one, by their notification. */
  readonly #sequenceIds = new Map<string, string>();
  #opened: OpenStream | null = null;
  #pingedNumber = 0;
  #confirmedNumber = 0;

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
    this.ping = wire.ping === null ? null : (number) => this.#ping(number);
    wire.onClose(() => this.#opened?.end());
  }

  /** Sends the event `open` unless that was done. */
  start(): void {
    if (this.#wire.hasBegun || !this.#wire.isOpen) return;
    this.#sendWithoutWaiting("open", this.#allTopics);
    if (this.ping !== null || !this.#wire.isOpen) return;
    const keepalive = () => this.#sendWithoutWaiting("keepalive", this.#allTopics);
    const timer = setInterval(keepalive, KEEPALIVE_MS);
    this.#wire.onClose(() => clearInterval(timer));
  }

  /** Takes over the opened stream: it learns of pongs, and ends with the connection. */
  attach(opened: OpenStream): void {
    this.#opened = opened;
    if (this.#confirmedNumber > 0) opened.confirm(this.#confirmedNumber);
    if (!this.#wire.isOpen) opened.end();
  }

  async write(message: AddressedMessage): Promise<void> {
    this.start();
    this.#rememberSequenceId(message);
    await this.#wire.write(this.#format(encodeAppMessage(message, this.#deps)));
  }

  /** Sends the event for every topic, because the app may have got the notification under any. */
  readonly clear = (notificationId: string): void => {
    // An app whose stream only opens shows nothing of it yet, and expects `open` first.
    if (!this.#wire.hasBegun) return;
    const sequence_id = this.#sequenceIds.get(notificationId) ?? notificationId;
    for (const { topic } of this.subscriptions) {
      this.#sendWithoutWaiting("message_clear", topic, { sequence_id });
    }
  };

  readonly destroy = (): void => this.#wire.destroy();

  /** Confirms the number in a pong. An app cannot confirm more than it was asked for. */
  readonly onPong = (payload: string): void => {
    const number = /^\d{1,15}$/.test(payload) ? Number(payload) : 0;
    if (number > this.#pingedNumber || number < this.#confirmedNumber) return;
    this.#confirmedNumber = number;
    this.#opened?.confirm(number);
  };

  get #allTopics(): string {
    return this.subscriptions.map(({ topic }) => topic).join(",");
  }

  /** An app knows a message by the sequence id that its sender gave it, otherwise by its id. */
  #rememberSequenceId({ message: { notificationId, extras } }: AddressedMessage): void {
    const { sequenceId } = decodeExtras(extras);
    if (sequenceId === undefined) return;
    this.#sequenceIds.set(notificationId, sequenceId);
    const [oldest] = this.#sequenceIds.keys();
    if (this.#sequenceIds.size > SEQUENCE_IDS_MAX && oldest !== undefined) {
      this.#sequenceIds.delete(oldest);
    }
  }

  #ping(number: number): void {
    this.#pingedNumber = Math.max(this.#pingedNumber, number);
    this.#wire.ping?.(String(number));
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
