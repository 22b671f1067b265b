import { CODE } from "./codes.ts";
import { ProtocolError } from "./protocol-error.ts";
import type { Stream } from "./stream.ts";

const STREAM_ID_MAX = 2 ** 31 - 1;

/** The open streams of one connection. */
export class Streams {
  readonly #streams = new Map<number, Stream>();
  #nextId = 1;
  /** From the server's GOAWAY: later streams were not processed. */
  #lastId = Infinity;

  get size(): number {
    return this.#streams.size;
  }

  get nextId(): number {
    return this.#nextId;
  }

  /** True if no stream number is left (RFC 9113 section 5.1.1). */
  get areSpent(): boolean {
    return this.#nextId > STREAM_ID_MAX;
  }

  /** Adds the stream with the next number. */
  add(stream: Stream): void {
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
  }

  has(stream: Stream): boolean {
    return this.#streams.has(stream.id);
  }

  /** Returns null for a stream that has ended. Throws `ProtocolError` for one that never began. */
  find(streamId: number): Stream | null {
    if (streamId % 2 === 0 || streamId >= this.#nextId) {
      throw new ProtocolError(CODE.protocolError, `There was no stream ${streamId}.`);
    }
    return this.#streams.get(streamId) ?? null;
  }

  remove(stream: Stream): void {
    this.#streams.delete(stream.id);
  }

  /** Returns the open streams in the order in which they began. */
  values(): Iterable<Stream> {
    return this.#streams.values();
  }

  /** Records a GOAWAY, which may be repeated with an earlier stream, and returns the streams that it leaves unprocessed. */
  endAfter(lastId: number): readonly Stream[] {
    if (lastId > this.#lastId) {
      throw new ProtocolError(CODE.protocolError, "A second GOAWAY takes back the first.");
    }
    this.#lastId = lastId;
    return [...this.#streams.values()].filter(({ id }) => id > lastId);
  }
}
