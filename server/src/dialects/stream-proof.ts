import type { OpenStream } from "#apps/app-streams.ts";
import type { Wire } from "./wire.ts";

/** The pings of a stream and the pongs to them, which prove the messages before the ping. */
export class StreamProof {
  readonly #wire: Wire;
  #opened: OpenStream | null = null;
  #pingedNumber = 0;
  #confirmedNumber = 0;

  constructor(wire: Wire) {
    this.#wire = wire;
    wire.onClose(() => this.#opened?.end());
  }

  /** Takes over the opened stream: it learns of pongs, also of earlier ones, and ends with the connection. */
  readonly attach = (opened: OpenStream): void => {
    this.#opened = opened;
    if (this.#confirmedNumber > 0) opened.confirm(this.#confirmedNumber);
    if (!this.#wire.isOpen) opened.end();
  };

  /** Sends a ping with the number of the last message. */
  readonly ping = (number: number): void => {
    this.#pingedNumber = Math.max(this.#pingedNumber, number);
    this.#wire.ping?.(String(number));
  };

  /** Confirms the number in a pong. An app cannot confirm more than it was asked for. */
  readonly onPong = (payload: string): void => {
    const number = /^\d{1,15}$/.test(payload) ? Number(payload) : 0;
    if (number > this.#pingedNumber || number < this.#confirmedNumber) return;
    this.#confirmedNumber = number;
    this.#opened?.confirm(number);
  };
}
