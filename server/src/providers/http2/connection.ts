import type { Answer } from "../post.ts";
import type { Http2Connection, Http2Request } from "./http2.ts";

export interface ConnectionSettings {
  readonly origin: URL;
  readonly ca: string | undefined;
  readonly streamsMax: number;
  readonly connectTimeoutMs: number;
  readonly idleMs: number;
  readonly silenceMs: number;
  readonly pingTimeoutMs: number;
}

export interface ConnectionEvents {
  /** There is room now where there was none, or none where there was some. */
  readonly onChange: () => void;
  /** It came to nothing: no answer, and it takes no further request. Called once at most. */
  readonly onFailed: (failure: ConnectionFailure) => void;
  /** The first answer came. */
  readonly onProven: () => void;
  /** Its socket is closed. */
  readonly onEnd: () => void;
}

export interface ConnectionFailure {
  readonly error: Error;
  /** The far side shut it in good order (GOAWAY with code 0). */
  readonly isOrderly: boolean;
}

/** How one stream ended; `refused` means that the far side did not process it, so it may be sent again. */
export type StreamEnd =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly error: Error }
  | { readonly kind: "lost"; readonly error: Error };

/** The same, with the connection that it ended on. */
export type SendEnd =
  | (Exclude<StreamEnd, { readonly kind: "lost" }> & { readonly connection: Connection })
  | Extract<StreamEnd, { readonly kind: "lost" }>;

/** One connection and the requests on it. It opens at once, and ends when it has failed, is retired or idle. */
export interface Connection extends Http2Connection {
  /** False once it is known to take no further request, and while it is not sure that it is alive. */
  readonly isUsable: boolean;
  /** True once it has answered. */
  readonly isProven: boolean;
  /** How many requests it can take now. */
  readonly room: number;
  /** Makes the request, for which there must be room. Rejects only where the request itself is malformed. */
  send(request: Http2Request, signal: AbortSignal): Promise<SendEnd>;
  /** Ends it and whatever is on it at once; resolves when its socket is closed. */
  destroy(error: Error): Promise<void>;
}

/** Opens a connection. */
export type Connect = (settings: ConnectionSettings, events: ConnectionEvents) => Connection;

/** Until SETTINGS come the far side's limit is not known, and what is sent beyond it is refused. */
export const STREAMS_BEFORE_SETTINGS = 1;
/** How long the far side has to close its end after us. */
export const CLOSE_GRACE_MS = 1_000;
