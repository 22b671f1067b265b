import type { Stream } from "./stream.ts";

/** The streams that one signal bounds. */
interface BoundStreams {
  readonly streams: Set<Stream>;
  readonly onAbort: () => void;
}

/** Cancels streams when their signal aborts. All streams of a signal share one listener. */
export class StreamSignals {
  readonly #streamsBySignal = new Map<AbortSignal, BoundStreams>();
  readonly #cancel: (stream: Stream, error: Error) => void;

  constructor(cancel: (stream: Stream, error: Error) => void) {
    this.#cancel = cancel;
  }

  /** Cancels the stream when the signal aborts, or immediately if it already has. */
  watch(signal: AbortSignal, stream: Stream): void {
    if (signal.aborted) {
      this.#cancel(stream, createAbortError(signal));
      return;
    }
    const existing = this.#streamsBySignal.get(signal);
    if (existing !== undefined) {
      existing.streams.add(stream);
      return;
    }
    const onAbort = (): void => this.#onAbort(signal);
    this.#streamsBySignal.set(signal, { streams: new Set([stream]), onAbort });
    signal.addEventListener("abort", onAbort);
  }

  /** Stops watching a stream; does nothing if it is not watched. */
  unwatch(signal: AbortSignal, stream: Stream): void {
    const watched = this.#streamsBySignal.get(signal);
    if (watched === undefined) return;
    watched.streams.delete(stream);
    if (watched.streams.size > 0) return;
    this.#streamsBySignal.delete(signal);
    signal.removeEventListener("abort", watched.onAbort);
  }

  #onAbort(signal: AbortSignal): void {
    const streams = this.#streamsBySignal.get(signal)?.streams ?? [];
    // Each stream is removed when it ends.
    for (const stream of streams) this.#cancel(stream, createAbortError(signal));
  }
}

function createAbortError({ reason }: AbortSignal): Error {
  return new Error("The request was aborted.", { cause: reason });
}
