import { ServerResponse } from "node:http";

/** A connection that reads nothing of its answer for this long is cut off. */
const STALLED_MAX_MS = 30_000;
/** Interval of the check of unread answers; the timer runs only while there are some. */
const CHECK_MS = 1_000;
/** Limit for all unread answers of all connections together. */
const TOTAL_MAX_BYTES = 64 * 1024 * 1024;

/** Contents that all answers share: an unread one needs no memory of its own. */
const shared = new WeakSet<object>();

/** Marks bytes as shared by all answers; returns them. */
export function share(bytes: Buffer): Buffer {
  shared.add(bytes);
  return bytes;
}

export interface UnsentLimits {
  readonly stalledMaxMs?: number;
  readonly checkMs?: number;
  readonly totalMaxBytes?: number;
}

/** Tracks answers that clients have not read yet, and cuts off clients that read too little. */
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
    const note = (...seen: Parameters<UnsentAnswers["note"]>) => this.note(...seen);
    class WatchedResponse extends ServerResponse {
      // The arguments are those of any overload; they are passed on unchanged.
      override write(...args: unknown[]): boolean {
        const isTaken = super.write(...(args as Parameters<ServerResponse["write"]>));
        if (!isTaken) note(this, args[0]);
        return isTaken;
      }

      override end(...args: unknown[]): this {
        super.end(...(args as Parameters<ServerResponse["end"]>));
        if (this.writableLength > 0) note(this, args[0]);
        return this;
      }
    }
    // Node constructs them, each with a request.
    return WatchedResponse as typeof ServerResponse;
  }

  /** Notes that an answer is unread; the content is the last write. */
  note(response: ServerResponse, content: unknown): void {
    // Event streams have a rule of their own: their readers may fall behind for a while.
    if (isEventStream(response)) return;
    if (!this.#waiting.has(response)) {
      response.once("close", () => this.#waiting.delete(response));
    }
    const isShared = typeof content === "object" && content !== null && shared.has(content);
    this.#waiting.set(response, { isShared, left: leftOf(response), since: performance.now() });
    this.#timer ??= setInterval(() => this.#check(), this.#limits.checkMs).unref();
    if (!isShared) this.#keepWithinTotal();
  }

  #check(): void {
    const now = performance.now();
    for (const [response, waiting] of this.#waiting) {
      const left = leftOf(response);
      if (left !== waiting.left || left === 0) {
        waiting.left = left;
        waiting.since = now;
      } else if (now - waiting.since >= this.#limits.stalledMaxMs) response.req.destroy();
    }
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Cuts off the largest first: a connection that holds little does not suffer for one that holds much. */
  #keepWithinTotal(): void {
    const own = [...this.#waiting].filter(([, { isShared }]) => !isShared);
    const sizes = own.map(([response]) => ({ response, bytes: response.writableLength }));
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
  left: number;
  /** Milliseconds of the monotonic clock. */
  since: number;
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader("content-type")).startsWith("text/event-stream");
}

/**
 * Returns how many bytes of an answer are unread. Node reports a single write only when it is complete, so this asks
 * the socket's handle.
 */
function leftOf(response: ServerResponse): number {
  const handle: unknown = response.socket && Reflect.get(response.socket, "_handle");
  const queued =
    typeof handle === "object" && handle !== null
      ? Number(Reflect.get(handle, "writeQueueSize"))
      : 0;
  return response.writableLength + queued;
}
