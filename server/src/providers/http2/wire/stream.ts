import { MAX_ANSWER_BYTES, type Answer } from "../../post.ts";
import type { AnswerHead } from "./answer-head.ts";

/** How one stream ended. `refused` means that the server did not process it, so it may be sent again. */
export type StreamEnd =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly error: Error }
  | { readonly kind: "lost"; readonly error: Error };

/** One request under way, and its answer so far. */
export class Stream {
  readonly id: number;
  /** The unsent part of the body; null if nothing is left. */
  unsent: Buffer | null;
  /** How many more bytes of the body the server takes; negative if it has lowered its limit (RFC 9113 section 6.9.2). */
  sendWindow: number;
  /** Bytes received since the last WINDOW_UPDATE. */
  unacknowledgedBytes = 0;
  head: AnswerHead | null = null;
  /** The number of interim answers (RFC 9110 section 15.2). */
  interims = 0;
  readonly #settle: (end: StreamEnd) => void;
  readonly #chunks: Buffer[] = [];
  #bodyBytes = 0;

  constructor(
    id: number,
    {
      body,
      sendWindow,
      settle,
    }: {
      readonly body: Buffer;
      readonly sendWindow: number;
      readonly settle: (end: StreamEnd) => void;
    },
  ) {
    this.id = id;
    this.unsent = body;
    this.sendWindow = sendWindow;
    this.#settle = settle;
  }

  /** Keeps a part of the answer's body; returns false above the limit. */
  take(bytes: Buffer, begin: number, end: number): boolean {
    const left = MAX_ANSWER_BYTES - this.#bodyBytes;
    this.#bodyBytes += end - begin;
    // A copy, because the buffer belongs to the socket.
    if (left > 0)
      this.#chunks.push(Buffer.from(bytes.subarray(begin, Math.min(end, begin + left))));
    return this.#bodyBytes <= MAX_ANSWER_BYTES;
  }

  /** Ends the stream early. A status counts as an answer, however the body ended. */
  settle(error: Error): void {
    if (this.head === null) this.#settle({ kind: "lost", error });
    else this.answer(this.head);
  }

  /** Ends the stream with its answer. */
  answer({ status, headers }: AnswerHead): void {
    const body = this.#chunks.length === 0 ? "" : Buffer.concat(this.#chunks).toString();
    this.#settle({ kind: "answered", answer: { status, headers, body } });
  }

  /** Ends the stream as not processed, unless it has a status. */
  refuse(error: Error): void {
    if (this.head === null) this.#settle({ kind: "refused", error });
    else this.answer(this.head);
  }
}
