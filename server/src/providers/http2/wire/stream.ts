import { MAX_ANSWER_BYTES, type Answer } from "../../post.ts";
import type { AnswerHead } from "./answer-head.ts";

/** How one stream ended; `refused` means that the far side did not process it, so it may be sent again. */
export type StreamEnd =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly error: Error }
  | { readonly kind: "lost"; readonly error: Error };

/** One request under way, and what has come of its answer. */
export class Stream {
  readonly id: number;
  /** What has not been sent of the body; null when all of it was. */
  unsent: Buffer | null;
  /** How much of the body the far side takes now; below zero when it has thought better of it (RFC 9113 section 6.9.2). */
  sendWindow: number;
  /** What came since we last made room for more. */
  unacknowledgedBytes = 0;
  head: AnswerHead | null = null;
  /** Interim answers (RFC 9110 section 15.2) so far. */
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

  /** Keeps a part of the answer's body; returns false once there is more than is read of any. */
  take(bytes: Buffer, begin: number, end: number): boolean {
    const left = MAX_ANSWER_BYTES - this.#bodyBytes;
    this.#bodyBytes += end - begin;
    // A copy: the bytes are the socket's.
    if (left > 0)
      this.#chunks.push(Buffer.from(bytes.subarray(begin, Math.min(end, begin + left))));
    return this.#bodyBytes <= MAX_ANSWER_BYTES;
  }

  /** Ends it with what has come: a status is an answer, however the body ended. */
  settle(error: Error): void {
    if (this.head === null) this.#settle({ kind: "lost", error });
    else this.answer(this.head);
  }

  /** Ends it with its answer. */
  answer({ status, headers }: AnswerHead): void {
    const body = this.#chunks.length === 0 ? "" : Buffer.concat(this.#chunks).toString();
    this.#settle({ kind: "answered", answer: { status, headers, body } });
  }

  /** Ends it as one that the far side did not process, unless it has answered. */
  refuse(error: Error): void {
    if (this.head === null) this.#settle({ kind: "refused", error });
    else this.answer(this.head);
  }
}
