/** The server of a connection, its stream limit and its timeouts. */
export interface Http2ConnectionOptions {
  readonly origin: URL;
  readonly ca: string | undefined;
  readonly streamsMax: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly readIdleTimeoutMs: number;
  readonly pingTimeoutMs: number;
}

/** The callbacks of a connection. */
export interface ConnectionEvents {
  /** Called when the number of free streams may have changed, and when the connection drains. */
  readonly onChange: () => void;
  /** Called at most once, if the connection ends before its first response, unless we ended it. */
  readonly onFailed: (failure: ConnectionFailure) => void;
  /** Called on the first response. */
  readonly onProven: () => void;
  /** Called when the socket is closed. */
  readonly onEnd: () => void;
}

/** The end of a connection before its first response. */
export interface ConnectionFailure {
  readonly error: Error;
  /** True if the server closed the connection without an error (GOAWAY with code 0). */
  readonly isOrderly: boolean;
}
