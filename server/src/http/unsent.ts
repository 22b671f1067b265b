import { ServerResponse } from "node:http";

/** A client that reads nothing of its response for this long is disconnected. */
const STALLED_MAX_MS = 30_000;
/** The interval of the check of unread responses. The timer runs only while there are some. */
const CHECK_MS = 1_000;
/** The limit for the unread responses of all connections together. */
const TOTAL_MAX_BYTES = 64 * 1024 * 1024;

/** Buffers that several responses share, so that an unread response needs no extra memory. */
const shared = new WeakSet<object>();

/** Marks bytes as shared by several responses, and returns them. */
export function share(bytes: Buffer): Buffer {
  shared.add(bytes);
  return bytes;
}

export interface UnsentLimits {
  readonly stalledMaxMs?: number;
  readonly checkMs?: number;
  readonly totalMaxBytes?: number;
}

/** Tracks responses that clients have not read yet, and disconnects clients that read too little. */
export class UnsentAnswers {
  readonly #limits: Required<UnsentLimits>;
  readonly #waiting = new Map<ServerResponse, UnsentAnswer>();
  #timer: NodeJS.Timeout | null = null;

  constructor({
    stalledMaxMs = STALLED_MAX_MS,
    checkMs = CHECK_MS,
    totalMaxBytes = TOTAL_MAX_BYTES,
  }: UnsentLimits = {}) {
    this.#limits = { stalledMaxMs, checkMs, totalMaxBytes };
  }

  /** Returns the response class for a server. */
  responses(): typeof ServerResponse {
    const note = (...args: Parameters<UnsentAnswers["note"]>) => this.note(...args);
    class WatchedResponse extends ServerResponse {
      // Accepts the arguments of every overload and passes them on unchanged.
      override write(...args: unknown[]): boolean {
        const hasRoom = super.write(...(args as Parameters<ServerResponse["write"]>));
        if (!hasRoom) note(this, args[0]);
        return hasRoom;
      }

      override end(...args: unknown[]): this {
        super.end(...(args as Parameters<ServerResponse["end"]>));
        if (this.writableLength > 0) note(this, args[0]);
        return this;
      }
    }
    // Node constructs each response with its request.
    return WatchedResponse as typeof ServerResponse;
  }

  /** Records that a response is unread. `content` is the last write. */
  note(response: ServerResponse, content: unknown): void {
    // Event streams have their own limit: their readers may fall behind for a while.
    if (isEventStream(response)) return;
    if (!this.#waiting.has(response)) {
      response.once("close", () => this.#waiting.delete(response));
    }
    const isShared = typeof content === "object" && content !== null && shared.has(content);
    this.#waiting.set(response, {
      isShared,
      unreadBytes: unreadBytesOf(response),
      since: performance.now(),
    });
    this.#timer ??= setInterval(() => this.#check(), this.#limits.checkMs).unref();
    if (!isShared) this.#enforceTotal();
  }

  #check(): void {
    const now = performance.now();
    for (const [response, waiting] of this.#waiting) {
      const unreadBytes = unreadBytesOf(response);
      if (unreadBytes !== waiting.unreadBytes || unreadBytes === 0) {
        waiting.unreadBytes = unreadBytes;
        waiting.since = now;
      } else if (now - waiting.since >= this.#limits.stalledMaxMs) response.req.destroy();
    }
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Closes the connection with the most unread bytes first, so that small ones are not affected. */
  #enforceTotal(): void {
    const unshared = [...this.#waiting].filter(([, { isShared }]) => !isShared);
    const sizes = unshared.map(([response]) => ({ response, bytes: response.writableLength }));
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= this.#limits.totalMaxBytes) return;
    for (const { response, bytes } of sizes.toSorted((one, other) => other.bytes - one.bytes)) {
      response.req.destroy();
      total -= bytes;
      if (total <= this.#limits.totalMaxBytes) return;
    }
  }
}

interface UnsentAnswer {
  readonly isShared: boolean;
  /** Unread bytes, as of the last progress. */
  unreadBytes: number;
  /** Milliseconds of the monotonic clock. */
  since: number;
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader("content-type")).startsWith("text/event-stream");
}

/**
 * Returns how many bytes of a response are unread. Node reports a single write only when it is complete, so this
 * reads the socket's handle.
 */
function unreadBytesOf(response: ServerResponse): number {
  const handle: unknown = response.socket && Reflect.get(response.socket, "_handle");
  const queued =
    typeof handle === "object" && handle !== null
      ? Number(Reflect.get(handle, "writeQueueSize"))
      : 0;
  return response.writableLength + queued;
}
