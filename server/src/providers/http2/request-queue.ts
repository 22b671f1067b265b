import type { Connection } from "./connection.ts";
import type { Http2Exchange, Http2Request, UnsentCause } from "./http2.ts";

/** One try of a request, waiting for a place on a connection. */
export interface Try {
  readonly request: Http2Request;
  /** Bounds the whole request. */
  readonly signal: AbortSignal;
  /** The connection that did not process it last time. */
  readonly refusedBy: Connection | null;
}

/** What came of a try; `refused` by a connection that did not process it. */
export type TryEnd =
  | Http2Exchange
  | { readonly kind: "refused"; readonly error: Error; readonly connection: Connection };

interface Waiting {
  readonly asked: Try;
  readonly settle: (end: TryEnd | Promise<TryEnd>) => void;
}

const WAITING_MAX = 5_000;

/** Holds tries in the order in which they came, until there is a place for them or their signal fires. */
export class RequestQueue {
  readonly #waiting = new Set<Waiting>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves with what came of the try. */
  async add(asked: Try): Promise<TryEnd> {
    const { signal } = asked;
    if (signal.aborted) return none("given up", signalError(signal));
    if (this.#waiting.size >= WAITING_MAX) return none("given up", new Error("Too many wait."));
    const { promise, resolve } = Promise.withResolvers<TryEnd>();
    const giveUp = (): void => waiting.settle(none("given up", signalError(signal)));
    const waiting: Waiting = {
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

  /** Hands one after the other to a connection, until `pick` finds none with room. */
  serve(pick: (asked: Try) => Connection | null): void {
    for (const waiting of this.#waiting) {
      const connection = pick(waiting.asked);
      if (connection === null) return;
      // First of all: a connection that turns out to have ended makes us look again meanwhile.
      this.#waiting.delete(waiting);
      waiting.settle(connection.send(waiting.asked.request, waiting.asked.signal));
    }
  }

  /** Ends all who wait now. */
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
