export interface ConnectionSettings {
  readonly origin: URL;
  readonly ca: string | undefined;
  readonly streamsMax: number;
  readonly connectTimeoutMs: number;
  readonly idleMs: number;
  readonly readIdleMs: number;
  readonly pingTimeoutMs: number;
}

export interface ConnectionEvents {
  /** Called when the connection gains room after having none, or loses its last. */
  readonly onChange: () => void;
  /** Called at most once, if the connection ends before it answered a request. */
  readonly onFailed: (failure: ConnectionFailure) => void;
  /** Called on the first answer. */
  readonly onProven: () => void;
  /** Called when the socket is closed. */
  readonly onEnd: () => void;
}

export interface ConnectionFailure {
  readonly error: Error;
  /** The server closed in good order (GOAWAY with code 0). */
  readonly isOrderly: boolean;
}
