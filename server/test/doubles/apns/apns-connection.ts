import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { createApnsRefusal, type ApnsRefusal } from "./apns-refusal.ts";
import { checkProviderToken, type ProviderToken, type TokenPolicy } from "./apns-token-rules.ts";

/** The fields of a GOAWAY, which ends a connection (RFC 9113 section 6.8). */
export interface GoawayOptions {
  /** A code of RFC 9113 section 7; 0, NO_ERROR, by default. */
  readonly code?: number;
  /**
   * The last processed stream, by default the last one processed so far. Streams with a higher number are not
   * processed, and the others are still answered.
   */
  readonly lastStreamId?: number;
  /** Sent as Apple's JSON `{reason}`. */
  readonly reason?: string;
}

/** The fields of a GOAWAY whose last stream is determined by one request. */
export type GoawayReason = Pick<GoawayOptions, "code" | "reason">;

/** Minimum time between two new provider tokens on a connection. */
const TOKEN_CHANGE_MIN_MS = 20 * 60_000;
/** Streams that clients open have odd numbers. */
const STREAM_ID_STEP = 2;

/** A sender's connection, with the service's state of it. */
export class ApnsConnection {
  /** Counted from 1, in the order of connecting. */
  readonly number: number;
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly #openStreams = new Set<ServerHttp2Stream>();
  readonly #tokens = new Set<string>();
  #keyId: string | null = null;
  #newTokenAtMs = Number.NEGATIVE_INFINITY;
  #permanentRefusal: ApnsRefusal | null = null;
  #isTrusted = false;
  #highestProcessedId = 0;
  #lastStreamId = Number.POSITIVE_INFINITY;

  /** `socket` is the one below TLS, because an HTTP/2 session's socket cannot be reset. */
  constructor(number: number, session: ServerHttp2Session, socket: Socket) {
    this.number = number;
    this.#session = session;
    this.#socket = socket;
  }

  /**
   * Checks a request's credentials with the connection's state: a connection belongs to the key of its first valid
   * request and accepts a new token once in 20 minutes. After a new token in less time, or an expired token, the
   * connection refuses every request.
   */
  admit(
    authorization: string | undefined,
    policy: TokenPolicy,
    nowMs: number,
  ): ProviderToken | ApnsRefusal {
    if (this.#permanentRefusal !== null) return this.#permanentRefusal;
    const token = checkProviderToken(authorization, policy, nowMs);
    if (token.kind === "refused") {
      if (token.reason === "ExpiredProviderToken") this.#permanentRefusal = token;
      return token;
    }
    if (this.#keyId !== null && this.#keyId !== token.key.keyId) {
      return createApnsRefusal(
        403,
        "UnrelatedKeyIdInToken",
        "The connection belongs to another key.",
      );
    }
    return this.#checkTokenChange(token, nowMs) ?? token;
  }

  /** Adds a request. Refuses it and returns false if the connection no longer processes it. */
  addRequest(stream: ServerHttp2Stream): boolean {
    if (this.isRefused(stream)) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return false;
    }
    this.#openStreams.add(stream);
    stream.once("close", () => {
      this.#openStreams.delete(stream);
      this.#closeWhenDrained();
    });
    return true;
  }

  /**
   * Returns whether a request must not be processed, because its stream has ended or is above the last one of a GOAWAY.
   */
  isRefused(stream: ServerHttp2Stream): boolean {
    return stream.destroyed || stream.closed || getStreamId(stream) > this.#lastStreamId;
  }

  /** Records that a request was processed, so that no later GOAWAY says otherwise. */
  recordProcessed(stream: ServerHttp2Stream): void {
    this.#highestProcessedId = Math.max(this.#highestProcessedId, getStreamId(stream));
  }

  /** Raises the sender's stream limit, once: after the first response to a valid token. */
  trust(streams: number): void {
    if (this.#isTrusted) return;
    this.#isTrusted = true;
    this.announceStreamLimit(streams);
  }

  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Announces the maximum number of concurrent streams. */
  announceStreamLimit(streams: number): void {
    const { closed, destroyed } = this.#session;
    if (!closed && !destroyed) this.#session.settings({ maxConcurrentStreams: streams });
  }

  /** Ends the connection. Throws if `lastStreamId` is below a processed stream. */
  goaway({ lastStreamId = this.#highestProcessedId, code = 0, reason }: GoawayOptions = {}): void {
    if (lastStreamId < this.#highestProcessedId) {
      throw new Error(
        `Stream ${this.#highestProcessedId} was processed and cannot be above the last stream.`,
      );
    }
    this.#lastStreamId = Math.min(this.#lastStreamId, lastStreamId);
    // Node treats 0 as its highest known stream, so open streams must be refused one by one.
    if (lastStreamId === 0) {
      for (const stream of this.#openStreams) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    }
    if (this.#session.destroyed) return;
    const data = reason === undefined ? undefined : Buffer.from(JSON.stringify({ reason }));
    this.#session.goaway(code, lastStreamId, data);
    this.#closeWhenDrained();
  }

  /** Ends the connection without processing this request. Later requests that were answered stay answered. */
  goawayBefore(stream: ServerHttp2Stream, options: GoawayReason): void {
    const lastStreamId = Math.max(
      getStreamId(stream) - STREAM_ID_STEP,
      this.#highestProcessedId,
      0,
    );
    if (lastStreamId > getStreamId(stream)) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    this.goaway({ ...options, lastStreamId });
  }

  /** Ends the connection with this request as the last one, or a later request that was answered. */
  goawayAfter(stream: ServerHttp2Stream, options: GoawayReason): void {
    const lastStreamId = Math.max(getStreamId(stream), this.#highestProcessedId);
    this.goaway({ ...options, lastStreamId });
  }

  /** Runs a function when the sender has received everything written so far. */
  runOnceReceived(act: () => void): void {
    // A peer answers PING in order, so everything written before has arrived (RFC 9113 section 6.7).
    if (!this.#session.destroyed) this.#session.ping(() => act());
  }

  /** Cuts the connection with a TCP reset. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #checkTokenChange({ text, key }: ProviderToken, nowMs: number): ApnsRefusal | null {
    this.#keyId = key.keyId;
    if (this.#tokens.has(text)) return null;
    if (nowMs - this.#newTokenAtMs < TOKEN_CHANGE_MIN_MS) {
      const message = "The connection saw another new token less than 20 minutes ago.";
      this.#permanentRefusal = createApnsRefusal(429, "TooManyProviderTokenUpdates", message);
      return this.#permanentRefusal;
    }
    this.#tokens.add(text);
    this.#newTokenAtMs = nowMs;
    return null;
  }

  #closeWhenDrained(): void {
    if (this.#openStreams.size === 0 && Number.isFinite(this.#lastStreamId)) this.#session.close();
  }
}

function getStreamId({ id = 0 }: ServerHttp2Stream): number {
  return id;
}
