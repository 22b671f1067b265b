/** The open connection to an app, over which a stream writes. */
export interface Wire {
  /** Whether the response has begun, so that no error can be sent any more. */
  readonly hasBegun: boolean;
  /** Whether the app can still be written to. */
  readonly isOpen: boolean;
  /** Begins the response. Safe to repeat. */
  begin(): void;
  /** Begins the response and writes a text. Resolves once the operating system took its bytes; rejects if the connection is closed before. */
  write(text: string): Promise<void>;
  /** Sends a ping with this payload (RFC 6455 section 5.5.2); null if the transport has none. */
  readonly ping: ((payload: string) => void) | null;
  /** Registers a listener for the end of the connection. */
  onClose(listener: () => void): void;
  /** Ends the connection without a closing handshake. Safe to repeat. */
  destroy(): void;
}

/** An app that reads nothing is disconnected when it has this many unread bytes. The app connects again with its position. */
export const UNREAD_MAX_BYTES = 1024 * 1024;

/** A connection that takes nothing of a write for this long is dead, like one that answers no ping. */
const STALLED_MAX_MS = 60_000;

/** Writes that the operating system has not taken yet. */
export class PendingWrites {
  readonly #rejects = new Set<(error: Error) => void>();
  readonly #onStalled: () => void;
  #isClosed = false;

  /** `onStalled` ends the connection: its app reads too little, and would keep its messages in memory for ever. */
  constructor(onStalled: () => void) {
    this.#onStalled = onStalled;
  }

  /** Starts a write, and resolves when its callback is called. Rejects if it fails, or when the connection closes. */
  async track(start: (callback: (error?: Error | null) => void) => void): Promise<void> {
    if (this.#isClosed) throw createClosedError();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#rejects.add(reject);
    const timer = setTimeout(this.#onStalled, STALLED_MAX_MS).unref();
    start((error) => {
      clearTimeout(timer);
      this.#rejects.delete(reject);
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
    return promise;
  }

  /** Rejects all writes, and every later one. */
  close(): void {
    this.#isClosed = true;
    for (const reject of this.#rejects) reject(createClosedError());
    this.#rejects.clear();
  }
}

function createClosedError(): Error {
  return new Error("The connection of the app is closed.");
}
