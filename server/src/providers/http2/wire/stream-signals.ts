import type { Stream } from "./stream.ts";

/** The streams that one signal bounds. */
interface BoundStreams {
  readonly streams: Set<Stream>;
  readonly onAbort: () => void;
}

/** Cancels streams when their signal fires. All streams of a signal share one listener. */
export class StreamSignals {
  readonly #watched = new Map<AbortSignal, BoundStreams>();
  readonly #cancel: (stream: Stream, error: Error) => void;

  constructor(cancel: (stream: Stream, error: Error) => void) {
    this.#cancel = cancel;
  }

  /** Cancels the stream when the signal fires, or immediately if it already has. */
  watch(signal: AbortSignal, stream: Stream): void {
    if (signal.aborted) {
      this.#cancel(stream, abortError(signal));
      return;
    }
    const existing = this.#watched.get(signal);
    if (existing !== undefined) {
      existing.streams.add(stream);
      return;
    }
    const onAbort = (): void => this.#onAbort(signal);
    this.#watched.set(signal, { streams: new Set([stream]), onAbort });
    signal.addEventListener("abort", onAbort);
  }

  /** Stops watching a stream; does nothing if it is not watched. */
  forget(signal: AbortSignal, stream: Stream): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined) return;
    watched.streams.delete(stream);
    if (watched.streams.size > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener("abort", watched.onAbort);
  }

  #onAbort(signal: AbortSignal): void {
    const streams = this.#watched.get(signal)?.streams ?? [];
    // Each stream is removed when it ends.
    for (const stream of streams) this.#cancel(stream, abortError(signal));
  }
}

function abortError({ reason }: AbortSignal): Error {
  return new Error("The request was given up.", { cause: reason });
}
