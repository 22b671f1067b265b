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
