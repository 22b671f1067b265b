import type { Answer } from "../post.ts";

/** One POST over HTTP/2 (RFC 9113). */
export interface Http2Request {
  readonly path: string;
  /** Lower-case names; pseudo-headers are added by the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names whose values must not enter the compression table: secrets, and what never repeats (RFC 7541 section 7.1.3); `:path` may be one. */
  readonly neverIndexed: readonly string[];
  readonly body: Buffer;
  /** Bounds the whole request, its wait for a place included. */
  readonly signal: AbortSignal;
}

/** How one request ended; `connection` is the one it ended on, to be retired where the answer says so. */
export type Http2Exchange =
  | {
      readonly kind: "answered";
      readonly answer: Answer;
      readonly connection: Http2Connection;
    }
  /** Nothing of it left us, or the far side said that it processed nothing, again and again. */
  | { readonly kind: "unsent"; readonly cause: UnsentCause; readonly error: Error }
  /** It left us, and no answer came: whether it was processed is not known. */
  | { readonly kind: "lost"; readonly error: Error };

/**
 * `unreachable`: no connection, or it is too early to try one again. `refused`: connections, but no stream was
 * processed. `given up`: the signal fired first, too many wait already, or the client is closed.
 */
export type UnsentCause = "unreachable" | "refused" | "given up";

/** One connection, as far as those who read its answers care. */
export interface Http2Connection {
  /** Takes no further request; those under way end as they will. Doing so twice changes nothing. */
  retire(): void;
}

/** Makes requests to one origin over a few connections. This is all that the providers know of HTTP/2. */
export interface Http2Client {
  /** Never rejects on what the far side or the network does; it does on names that HTTP/2 does not allow for headers. */
  request(request: Http2Request): Promise<Http2Exchange>;
  /** Closes every connection; requests under way end as `lost`, waiting ones as `unsent`. */
  close(): Promise<void>;
}
