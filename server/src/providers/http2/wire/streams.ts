import { ERROR_CODE } from "./codes.ts";
import { ProtocolError } from "./protocol-error.ts";
import type { Stream } from "./stream.ts";

const STREAM_ID_MAX = 2 ** 31 - 1;

/** The open streams of one connection. */
export class Streams {
  readonly #streams = new Map<number, Stream>();
  #nextId = 1;
  /** The last stream of the server's GOAWAY. Later ones were not processed. */
  #lastProcessedId = Infinity;

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** The id of the next stream. */
  get nextId(): number {
    return this.#nextId;
  }

  /** True if no stream id is left (RFC 9113 section 5.1.1). */
  get isExhausted(): boolean {
    return this.#nextId > STREAM_ID_MAX;
  }

  /** Adds a stream, whose id must be `nextId`. */
  add(stream: Stream): void {
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
  }

  has(stream: Stream): boolean {
    return this.#streams.has(stream.id);
  }

  /** Returns a stream; null if it has ended. Throws `ProtocolError` if it never began. */
  find(streamId: number): Stream | null {
    if (streamId % 2 === 0 || streamId >= this.#nextId) {
      throw new ProtocolError(ERROR_CODE.protocolError, `Stream ${streamId} was never opened.`);
    }
    return this.#streams.get(streamId) ?? null;
  }

  remove(stream: Stream): void {
    this.#streams.delete(stream.id);
  }

  /** Returns the open streams in the order of their start. */
  values(): Iterable<Stream> {
    return this.#streams.values();
  }

  /**
   * Records a GOAWAY and returns the unprocessed streams. A repeated GOAWAY may name an earlier stream. Throws
   * `ProtocolError` if it names a later one (RFC 9113 section 6.8).
   */
  recordGoaway(lastStreamId: number): readonly Stream[] {
    if (lastStreamId > this.#lastProcessedId) {
      throw new ProtocolError(
        ERROR_CODE.protocolError,
        "A GOAWAY names a later stream than an earlier GOAWAY.",
      );
    }
    this.#lastProcessedId = lastStreamId;
    return [...this.#streams.values()].filter(({ id }) => id > lastStreamId);
  }
}
