import { constants } from "node:http2";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { refuse } from "./apns-refusal.ts";
import type { ApnsRefusal } from "./apns-refusal.ts";
import { checkProviderToken } from "./apns-token-rules.ts";
import type { ProviderToken, TokenPolicy } from "./apns-token-rules.ts";

/** How a connection is ended (RFC 9113 section 6.8). */
export interface Goaway {
  /** A code of RFC 9113 section 7; 0, NO_ERROR, by default. */
  readonly code?: number;
  /**
   * Nothing above it was or will be processed; what is not above it is answered still. By default the highest stream
   * that was answered.
   */
  readonly lastStreamId?: number;
  /** Goes along as Apple's JSON `{reason}`. */
  readonly reason?: string;
}

/** How a connection is ended around one request, which says what the last stream is. */
export type Farewell = Pick<Goaway, "code" | "reason">;

const TOKEN_CHANGE_MS = 20 * 60_000;
/** Streams that clients open have odd numbers. */
const STREAM_ID_STEP = 2;

/** One connection of a sender, with what the service remembers of it. */
export class ApnsConnection {
  /** Counted from 1 in the order in which connections were made. */
  readonly number: number;
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly #open = new Set<ServerHttp2Stream>();
  readonly #tokens = new Set<string>();
  #keyId: string | null = null;
  #tokenAtMs = Number.NEGATIVE_INFINITY;
  #wedged: ApnsRefusal | null = null;
  #isTrusted = false;
  #highestSettled = 0;
  #lastStreamId = Number.POSITIVE_INFINITY;

  /** The socket is the one below TLS: HTTP/2 lets nobody reset its own. */
  constructor(number: number, session: ServerHttp2Session, socket: Socket) {
    this.number = number;
    this.#session = session;
    this.#socket = socket;
  }

  /**
   * Judges a request's credentials by what came before: a connection belongs to the key of its first good request,
   * takes a new token once in 20 minutes, and is of no use any more once that or a token's age was complained of.
   */
  admit(
    authorization: string | undefined,
    policy: TokenPolicy,
    nowMs: number,
  ): ProviderToken | ApnsRefusal {
    if (this.#wedged !== null) return this.#wedged;
    const token = checkProviderToken(authorization, policy, nowMs);
    if (token.kind === "refused") {
      if (token.reason === "ExpiredProviderToken") this.#wedged = token;
      return token;
    }
    if (this.#keyId !== null && this.#keyId !== token.key.keyId) {
      return refuse(403, "UnrelatedKeyIdInToken", "The connection belongs to another key.");
    }
    return this.#checkChange(token, nowMs) ?? token;
  }

  /** Adds a request, or refuses it where the connection has ended for it; returns whether it was added. */
  add(stream: ServerHttp2Stream): boolean {
    if (this.hasRefused(stream)) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return false;
    }
    this.#open.add(stream);
    stream.once("close", () => {
      this.#open.delete(stream);
      this.#closeWhenDrained();
    });
    return true;
  }

  /** Says whether a request must not be processed: it stands above the last one, or its sender is gone. */
  hasRefused(stream: ServerHttp2Stream): boolean {
    return stream.destroyed || stream.closed || idOf(stream) > this.#lastStreamId;
  }

  /** Notes that a request was processed: no GOAWAY may say otherwise. */
  settled(stream: ServerHttp2Stream): void {
    this.#highestSettled = Math.max(this.#highestSettled, idOf(stream));
  }

  /** Lets the sender open many streams, from the first time on that a good token was answered. */
  trust(streams: number): void {
    if (this.#isTrusted) return;
    this.#isTrusted = true;
    this.grant(streams);
  }

  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Announces how many streams may be open at once. */
  grant(streams: number): void {
    const { closed, destroyed } = this.#session;
    if (!closed && !destroyed) this.#session.settings({ maxConcurrentStreams: streams });
  }

  /** Ends the connection; throws where `lastStreamId` denies what was processed already. */
  goaway({ lastStreamId = this.#highestSettled, code = 0, reason }: Goaway = {}): void {
    if (lastStreamId < this.#highestSettled) {
      throw new Error(`Stream ${this.#highestSettled} was processed: it is not above the last.`);
    }
    this.#lastStreamId = Math.min(this.#lastStreamId, lastStreamId);
    // Node takes 0 for the highest stream that it knows: what is open must be refused one by one.
    if (lastStreamId === 0) {
      for (const stream of this.#open) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    }
    if (this.#session.destroyed) return;
    const data = reason === undefined ? undefined : Buffer.from(JSON.stringify({ reason }));
    this.#session.goaway(code, lastStreamId, data);
    this.#closeWhenDrained();
  }

  /** Ends the connection without processing this request; later ones that were answered stay answered. */
  goawayBefore(stream: ServerHttp2Stream, farewell: Farewell): void {
    const lastStreamId = Math.max(idOf(stream) - STREAM_ID_STEP, this.#highestSettled, 0);
    if (lastStreamId > idOf(stream)) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    this.goaway({ ...farewell, lastStreamId });
  }

  /** Ends the connection with this request as the last, or with a later one that was answered. */
  goawayAfter(stream: ServerHttp2Stream, farewell: Farewell): void {
    const lastStreamId = Math.max(idOf(stream), this.#highestSettled);
    this.goaway({ ...farewell, lastStreamId });
  }

  /** Runs once the sender has all that was written so far. */
  onceSeen(act: () => void): void {
    // A peer answers PING in order: what was written before it has arrived (RFC 9113 section 6.7).
    if (!this.#session.destroyed) this.#session.ping(() => act());
  }

  /** Cuts the connection with a TCP reset. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #checkChange({ text, key }: ProviderToken, nowMs: number): ApnsRefusal | null {
    this.#keyId = key.keyId;
    if (this.#tokens.has(text)) return null;
    if (nowMs - this.#tokenAtMs < TOKEN_CHANGE_MS) {
      const message = "The connection saw another new token less than 20 minutes ago.";
      this.#wedged = refuse(429, "TooManyProviderTokenUpdates", message);
      return this.#wedged;
    }
    this.#tokens.add(text);
    this.#tokenAtMs = nowMs;
    return null;
  }

  #closeWhenDrained(): void {
    if (this.#open.size === 0 && Number.isFinite(this.#lastStreamId)) this.#session.close();
  }
}

function idOf({ id = 0 }: ServerHttp2Stream): number {
  return id;
}
