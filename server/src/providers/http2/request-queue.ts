import type { Connection } from "./connection.ts";
import type { Http2Exchange, Http2Request, UnprocessedCause } from "./http2.ts";

/** One attempt to send a request, which may wait for a free stream. */
export interface RequestAttempt {
  readonly request: Http2Request;
  /** Bounds the whole request. */
  readonly signal: AbortSignal;
  /** The connection that refused the last attempt. */
  readonly refusedBy: Connection | null;
}

/** An attempt that the server did not process. */
export interface RefusedAttempt {
  readonly kind: "refused";
  readonly error: Error;
  readonly connection: Connection;
}

/** The result of an attempt. */
export type RequestAttemptResult = Http2Exchange | RefusedAttempt;

interface QueuedAttempt {
  readonly attempt: RequestAttempt;
  readonly settle: (result: RequestAttemptResult | Promise<RequestAttemptResult>) => void;
}

const WAITING_MAX = 5_000;

/** Queues attempts, first in first out, until a connection has a free stream or their signal aborts. */
export class RequestQueue {
  readonly #waiting = new Set<QueuedAttempt>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves with the result of the attempt. */
  async add(attempt: RequestAttempt): Promise<RequestAttemptResult> {
    const { signal } = attempt;
    if (signal.aborted) return createUnprocessedResult("aborted", createAbortError(signal));
    if (this.#waiting.size >= WAITING_MAX)
      return createUnprocessedResult("aborted", new Error("Too many requests wait."));
    const { promise, resolve } = Promise.withResolvers<RequestAttemptResult>();
    const onAbort = (): void =>
      queuedAttempt.settle(createUnprocessedResult("aborted", createAbortError(signal)));
    const queuedAttempt: QueuedAttempt = {
      attempt,
      settle: (result) => {
        this.#waiting.delete(queuedAttempt);
        signal.removeEventListener("abort", onAbort);
        resolve(result);
      },
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#waiting.add(queuedAttempt);
    return promise;
  }

  /** Sends queued attempts until `pick` finds no connection with a free stream. */
  serve(pick: (attempt: RequestAttempt) => Connection | null): void {
    for (const queuedAttempt of this.#waiting) {
      const { attempt, settle } = queuedAttempt;
      const connection = pick(attempt);
      if (connection === null) return;
      // Removed first, because a connection that has already ended calls this function again.
      this.#waiting.delete(queuedAttempt);
      settle(connection.send(attempt.request, attempt.signal));
    }
  }

  /** Ends all queued attempts as unprocessed. */
  endAll(cause: UnprocessedCause, error: Error): void {
    for (const { settle } of this.#waiting) settle(createUnprocessedResult(cause, error));
  }
}

function createUnprocessedResult(cause: UnprocessedCause, error: Error): RequestAttemptResult {
  return { kind: "unprocessed", cause, error };
}

function createAbortError({ reason }: AbortSignal): Error {
  return new Error("The request was aborted.", { cause: reason });
}
