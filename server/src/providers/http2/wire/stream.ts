import { RESPONSE_MAX_BYTES, type PushServiceResponse } from "../../post.ts";
import type { ResponseHeader } from "./response-header.ts";

/** The end of one stream. `refused` means that the server did not process the request, so the request may be resent. */
export type StreamEnd =
  | { readonly kind: "answered"; readonly response: PushServiceResponse }
  | { readonly kind: "refused"; readonly error: Error }
  | { readonly kind: "lost"; readonly error: Error };

/** One pending request, and its response so far. */
export class Stream {
  readonly id: number;
  /** The part of the body that is still to be sent; null if there is none. */
  unsentBody: Buffer | null;
  /** The number of body bytes that may be sent; negative if the server lowered its limit (RFC 9113 section 6.9.2). */
  sendWindow: number;
  /** Bytes received since the last WINDOW_UPDATE. */
  unacknowledgedBytes = 0;
  /** The status and headers of the response; null before they arrive. */
  responseHeader: ResponseHeader | null = null;
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
    this.unsentBody = body;
    this.sendWindow = sendWindow;
    this.#settle = settle;
  }

  /** Appends a part of the response body. Returns false above the limit. */
  append(bytes: Buffer, begin: number, end: number): boolean {
    const remainingBytes = RESPONSE_MAX_BYTES - this.#bodyBytes;
    this.#bodyBytes += end - begin;
    // Copied, because the buffer belongs to the socket.
    if (remainingBytes > 0)
      this.#chunks.push(Buffer.from(bytes.subarray(begin, Math.min(end, begin + remainingBytes))));
    return this.#bodyBytes <= RESPONSE_MAX_BYTES;
  }

  /** Ends the stream before its response is complete. A status counts as a response even with an incomplete body. */
  endEarly(error: Error): void {
    if (this.responseHeader === null) this.#settle({ kind: "lost", error });
    else this.endWithResponse(this.responseHeader);
  }

  /** Ends the stream with its response. */
  endWithResponse({ status, headers }: ResponseHeader): void {
    const body = this.#chunks.length === 0 ? "" : Buffer.concat(this.#chunks).toString();
    this.#settle({ kind: "answered", response: { status, headers, body } });
  }

  /** Ends the stream as not processed, unless it has a status. */
  endUnprocessed(error: Error): void {
    if (this.responseHeader === null) this.#settle({ kind: "refused", error });
    else this.endWithResponse(this.responseHeader);
  }
}
