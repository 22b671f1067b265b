import { CODE, FLAG } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { withoutPadding } from "./padding.ts";
import { ProtocolError } from "./protocol-error.ts";

/** More than the compressed head of any answer takes. It bounds blocks because each of their frames may be empty. */
const BLOCK_MAX_BYTES = 65_536;
const FRAMES_MAX = 16;

/** A field block that may span several frames (RFC 9113 section 4.3). */
export class FieldBlock {
  readonly streamId: number;
  /** The stream ends after it. */
  readonly isEnd: boolean;
  isWhole: boolean;
  #bytes: Buffer;
  #frames = 1;

  constructor(headers: Frame) {
    this.streamId = headers.streamId;
    this.isEnd = (headers.flags & FLAG.endStream) !== 0;
    this.isWhole = (headers.flags & FLAG.endHeaders) !== 0;
    const { bytes, begin, end } = withoutPadding(headers);
    const block = bytes.subarray(begin, end);
    // An incomplete block outlives the chunk that it came in.
    this.#bytes = this.isWhole ? block : Buffer.from(block);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Adds a CONTINUATION; throws `ProtocolError` if the block becomes too large. */
  add({ flags, bytes, begin, end }: Frame): void {
    this.#frames += 1;
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(begin, end)]);
    this.isWhole = (flags & FLAG.endHeaders) !== 0;
    if (this.#bytes.length > BLOCK_MAX_BYTES || this.#frames > FRAMES_MAX) {
      throw new ProtocolError(CODE.enhanceYourCalm, "A block of fields does not end.");
    }
  }
}
