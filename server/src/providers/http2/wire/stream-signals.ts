import type { Stream } from "./stream.ts";

/** The streams that one signal bounds. */
interface BoundStreams {
  readonly streams: Set<Stream>;
  readonly onAbort: () => void;
}

/** Cancels streams when their signal fires. A signal gets one listener, however many streams share it. */
export class StreamSignals {
  readonly #watched = new Map<AbortSignal, BoundStreams>();
  readonly #giveUp: (stream: Stream, error: Error) => void;

  constructor(giveUp: (stream: Stream, error: Error) => void) {
    this.#giveUp = giveUp;
  }

  /** Cancels the stream when the signal fires, or at once if it has. */
  watch(signal: AbortSignal, stream: Stream): void {
    if (signal.aborted) {
      this.#giveUp(stream, givenUp(signal));
      return;
    }
    const known = this.#watched.get(signal);
    if (known !== undefined) {
      known.streams.add(stream);
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
    // Each stream is forgotten as it ends.
    for (const stream of streams) this.#giveUp(stream, givenUp(signal));
  }
}

function givenUp({ reason }: AbortSignal): Error {
  return new Error("The request was given up.", { cause: reason });
}
