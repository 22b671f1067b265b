import type { Answer } from "../post.ts";

/** One POST over HTTP/2 (RFC 9113). */
export interface Http2Request {
  readonly path: string;
  /** Lower-case names; pseudo-headers are added by the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Names whose values must not enter the compression table: secrets, and values that never repeat (RFC 7541 section 7.1.3).
   * `:path` may be one.
   */
  readonly neverIndexed: readonly string[];
  readonly body: Buffer;
  /** Bounds the whole request, including its time in the queue. */
  readonly signal: AbortSignal;
}

/** How a request ended. `connection` is the one that it ended on, which the caller retires if the answer demands it. */
export type Http2Exchange =
  | {
      readonly kind: "answered";
      readonly answer: Answer;
      readonly connection: Http2Connection;
    }
  /** Nothing was sent, or the server said several times that it processed nothing. */
  | { readonly kind: "unsent"; readonly cause: UnsentCause; readonly error: Error }
  /** The request was sent and no answer came, so it may have been processed. */
  | { readonly kind: "lost"; readonly error: Error };

/**
 * `unreachable`: no connection, or the backoff of the last failure still runs. `refused`: connections, but the server
 * processed no stream. `given up`: the signal fired first, the queue is full, or the client is closed.
 */
export type UnsentCause = "unreachable" | "refused" | "given up";

/** The part of a connection that readers of its answers see. */
export interface Http2Connection {
  /** Takes no further request; requests under way finish. Idempotent. */
  retire(): void;
}

/** Makes requests to one origin over a few connections. Providers know no more of HTTP/2 than this. */
export interface Http2Client {
  /** Never rejects because of the server or the network. Rejects on header names that HTTP/2 does not allow. */
  request(request: Http2Request): Promise<Http2Exchange>;
  /** Closes every connection; sent requests end as `lost`, queued ones as `unsent`. */
  close(): Promise<void>;
}
