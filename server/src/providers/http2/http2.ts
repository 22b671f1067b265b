import type { PushServiceResponse } from "../post.ts";

/** One POST over HTTP/2 (RFC 9113). */
export interface Http2Request {
  readonly path: string;
  /** Lower-case names; pseudo-headers are added by the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Names whose values must not enter the compression table: secrets, and values that never repeat (RFC 7541 section
   * 7.1.3). `:path` may be one.
   */
  readonly neverIndexed: readonly string[];
  readonly body: Buffer;
  /** Bounds the whole request, including its time in the queue. */
  readonly signal: AbortSignal;
}

/** The result of a request. The caller retires its `connection` if the response requires it. */
export type Http2Exchange =
  | {
      readonly kind: "answered";
      readonly response: PushServiceResponse;
      readonly connection: Http2Connection;
    }
  /** Nothing was sent, or the server repeatedly reported that it did not process the request. */
  | { readonly kind: "unprocessed"; readonly cause: UnprocessedCause; readonly error: Error }
  /** The request was sent but got no response, so it may have been processed. */
  | { readonly kind: "lost"; readonly error: Error };

/**
 * The reason why a request was certainly not processed. `unreachable`: there is no connection, or the backoff of the
 * last failure still runs. `refused`: the server reported each time that it did not process the request. `aborted`: the
 * signal aborted first, the queue is full, or the client is closed.
 */
export type UnprocessedCause = "unreachable" | "refused" | "aborted";

/** The part of a connection that callers may use. */
export interface Http2Connection {
  /** Stops accepting requests. Pending requests finish. Idempotent. */
  retire(): void;
}

/**
 * Sends requests to one origin over a few connections. `createHttp2Client` creates one. FCM's HTTP/1.1 client, for an
 * emulator, implements it too.
 */
export interface Http2Client {
  /** Never rejects because of the server or the network. Rejects on headers that are malformed or too large. */
  request(request: Http2Request): Promise<Http2Exchange>;
  /** Closes every connection; sent requests end as `lost`, queued ones as `unprocessed`. */
  close(): Promise<void>;
}
