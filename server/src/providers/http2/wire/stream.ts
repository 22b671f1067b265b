import { MAX_ANSWER_BYTES, type Answer } from "../../post.ts";
import type { ResponseHeader } from "./response-header.ts";

/** The end of one stream. `refused` means that the server did not process it, so it may be resent. */
export type StreamEnd =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly error: Error }
  | { readonly kind: "lost"; readonly error: Error };

/** One pending request, and its response so far. */
export class Stream {
  readonly id: number;
  /** The unsent part of the body; null if all of it was sent. */
  unsent: Buffer | null;
  /** The number of body bytes that may be sent; negative if the server lowered its limit (RFC 9113 section 6.9.2). */
  sendWindow: number;
  /** Bytes received since the last WINDOW_UPDATE. */
  unacknowledgedBytes = 0;
  header: ResponseHeader | null = null;
  /** The number of interim responses (RFC 9110 section 15.2). */
  interimCount = 0;
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

  /** Appends a part of the response body. Returns false above the limit. */
  append(bytes: Buffer, begin: number, end: number): boolean {
    const bytesLeft = MAX_ANSWER_BYTES - this.#bodyBytes;
    this.#bodyBytes += end - begin;
    // Copied, because the buffer belongs to the socket.
    if (bytesLeft > 0)
      this.#chunks.push(Buffer.from(bytes.subarray(begin, Math.min(end, begin + bytesLeft))));
    return this.#bodyBytes <= MAX_ANSWER_BYTES;
  }

  /** Ends the stream early. A status counts as a response even if the body is incomplete. */
  settle(error: Error): void {
    if (this.header === null) this.#settle({ kind: "lost", error });
    else this.answer(this.header);
  }

  /** Ends the stream with its response. */
  answer({ status, headers }: ResponseHeader): void {
    const body = this.#chunks.length === 0 ? "" : Buffer.concat(this.#chunks).toString();
    this.#settle({ kind: "answered", answer: { status, headers, body } });
  }

  /** Ends the stream as not processed, unless it has a status. */
  refuse(error: Error): void {
    if (this.header === null) this.#settle({ kind: "refused", error });
    else this.answer(this.header);
  }
}
