import type { Connection } from "./connection.ts";
import type { Http2Exchange, Http2Request, UnsentCause } from "./http2.ts";

/** One try of a request that waits for room on a connection. */
export interface Try {
  readonly request: Http2Request;
  /** Bounds the whole request. */
  readonly signal: AbortSignal;
  /** The connection that refused the last try. */
  readonly refusedBy: Connection | null;
}

/** The result of a try; `refused` if the connection did not process it. */
export type TryEnd =
  | Http2Exchange
  | { readonly kind: "refused"; readonly error: Error; readonly connection: Connection };

interface WaitingTry {
  readonly asked: Try;
  readonly settle: (end: TryEnd | Promise<TryEnd>) => void;
}

const WAITING_MAX = 5_000;

/** Queues tries, first in first out, until a connection has room or their signal fires. */
export class RequestQueue {
  readonly #waiting = new Set<WaitingTry>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves with the result of the try. */
  async add(asked: Try): Promise<TryEnd> {
    const { signal } = asked;
    if (signal.aborted) return none("given up", signalError(signal));
    if (this.#waiting.size >= WAITING_MAX) return none("given up", new Error("Too many wait."));
    const { promise, resolve } = Promise.withResolvers<TryEnd>();
    const giveUp = (): void => waiting.settle(none("given up", signalError(signal)));
    const waiting: WaitingTry = {
      asked,
      settle: (end) => {
        this.#waiting.delete(waiting);
        signal.removeEventListener("abort", giveUp);
        resolve(end);
      },
    };
    signal.addEventListener("abort", giveUp, { once: true });
    this.#waiting.add(waiting);
    return promise;
  }

  /** Sends queued tries until `pick` finds no connection with room. */
  serve(pick: (asked: Try) => Connection | null): void {
    for (const waiting of this.#waiting) {
      const connection = pick(waiting.asked);
      if (connection === null) return;
      // Removed first: a connection that turns out to have ended calls this again meanwhile.
      this.#waiting.delete(waiting);
      waiting.settle(connection.send(waiting.asked.request, waiting.asked.signal));
    }
  }

  /** Ends all queued tries. */
  rejectAll(cause: UnsentCause, error: Error): void {
    for (const { settle } of this.#waiting) settle(none(cause, error));
  }
}

function none(cause: UnsentCause, error: Error): TryEnd {
  return { kind: "unsent", cause, error };
}

function signalError({ reason }: AbortSignal): Error {
  return new Error("The request was given up.", { cause: reason });
}
