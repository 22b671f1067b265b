/**
 * Not imported: an import of this module reads all its exports, and some of them load a second HTTP client, for `fetch`,
 * which takes about 25 ms of the start.
 */
const { ServerResponse } = process.getBuiltinModule("node:http");
type ServerResponse = InstanceType<typeof ServerResponse>;

/** A client that reads nothing of its response for this long is disconnected. */
const STALLED_MAX_MS = 30_000;
/** The interval of the check of unread responses. The timer runs only while there are some. */
const CHECK_INTERVAL_MS = 1_000;
/** The limit for the unread responses of all connections together. */
const TOTAL_MAX_BYTES = 64 * 1024 * 1024;

/** Buffers that several responses share. An unread response with such a buffer needs no extra memory. */
const sharedBuffers = new WeakSet<object>();

/** Marks bytes as shared by several responses, and returns them. */
export function markAsShared(bytes: Buffer): Buffer {
  sharedBuffers.add(bytes);
  return bytes;
}

/** The limits of unread responses; the defaults are the constants above. */
export interface UnreadResponseLimits {
  readonly stalledMaxMs?: number;
  readonly checkIntervalMs?: number;
  readonly totalMaxBytes?: number;
}

/** Tracks responses that clients have not read yet, and disconnects clients that read too little. */
export class UnreadResponses {
  readonly #limits: Required<UnreadResponseLimits>;
  readonly #unreadResponses = new Map<ServerResponse, UnreadResponse>();
  #timer: NodeJS.Timeout | null = null;

  constructor({
    stalledMaxMs = STALLED_MAX_MS,
    checkIntervalMs = CHECK_INTERVAL_MS,
    totalMaxBytes = TOTAL_MAX_BYTES,
  }: UnreadResponseLimits = {}) {
    this.#limits = { stalledMaxMs, checkIntervalMs, totalMaxBytes };
  }

  /** Returns the response class that a server must use, so that its responses are tracked. */
  createResponseClass(): typeof ServerResponse {
    const record = (...args: Parameters<UnreadResponses["record"]>) => this.record(...args);
    class TrackedResponse extends ServerResponse {
      // Accepts the arguments of every overload and passes them on unchanged.
      override write(...args: unknown[]): boolean {
        const hasRoom = super.write(...(args as Parameters<ServerResponse["write"]>));
        if (!hasRoom) record(this, args[0]);
        return hasRoom;
      }

      override end(...args: unknown[]): this {
        super.end(...(args as Parameters<ServerResponse["end"]>));
        if (this.writableLength > 0) record(this, args[0]);
        return this;
      }
    }
    // Node constructs each response with its request.
    return TrackedResponse as typeof ServerResponse;
  }

  /** Records that a response is unread. `content` is the first argument of its last write. */
  record(response: ServerResponse, content: unknown): void {
    // Streams have their own limit: their readers may fall behind for a while.
    if (isStream(response)) return;
    if (!this.#unreadResponses.has(response)) {
      response.once("close", () => this.#unreadResponses.delete(response));
    }
    const isShared = typeof content === "object" && content !== null && sharedBuffers.has(content);
    this.#unreadResponses.set(response, {
      isShared,
      unreadBytes: countUnreadBytes(response),
      progressAt: performance.now(),
    });
    this.#timer ??= setInterval(() => this.#check(), this.#limits.checkIntervalMs).unref();
    if (!isShared) this.#enforceTotal();
  }

  #check(): void {
    const now = performance.now();
    for (const [response, unread] of this.#unreadResponses) {
      const unreadBytes = countUnreadBytes(response);
      if (unreadBytes !== unread.unreadBytes || unreadBytes === 0) {
        unread.unreadBytes = unreadBytes;
        unread.progressAt = now;
      } else if (now - unread.progressAt >= this.#limits.stalledMaxMs) response.req.destroy();
    }
    if (this.#unreadResponses.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Closes connections, those with the most unread bytes first, until the total is within its limit. */
  #enforceTotal(): void {
    const unsharedResponses = [...this.#unreadResponses].filter(([, { isShared }]) => !isShared);
    const sizes = unsharedResponses.map(([response]) => ({
      response,
      bytes: response.writableLength,
    }));
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= this.#limits.totalMaxBytes) return;
    for (const { response, bytes } of sizes.toSorted((one, other) => other.bytes - one.bytes)) {
      response.req.destroy();
      total -= bytes;
      if (total <= this.#limits.totalMaxBytes) return;
    }
  }
}

interface UnreadResponse {
  readonly isShared: boolean;
  /** Unread bytes, as of the last progress. */
  unreadBytes: number;
  /** When the client last read something, in milliseconds of the monotonic clock. */
  progressAt: number;
}

/** Returns whether proxies must pass a response on as it is written. */
function isStream(response: ServerResponse): boolean {
  return response.getHeader("x-accel-buffering") === "no";
}

/**
 * Returns how many bytes of a response are unread. Reads the socket's handle, because Node reports a single write only
 * when it is complete.
 */
function countUnreadBytes(response: ServerResponse): number {
  const handle: unknown = response.socket && Reflect.get(response.socket, "_handle");
  const queued =
    typeof handle === "object" && handle !== null
      ? Number(Reflect.get(handle, "writeQueueSize"))
      : 0;
  return response.writableLength + queued;
}
