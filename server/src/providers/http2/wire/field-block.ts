import { CODE, FLAG } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { withoutPadding } from "./padding.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Limits of a block: no response needs more. The number of frames is limited too, because each may be empty. */
const BLOCK_MAX_BYTES = 65_536;
const FRAMES_MAX = 16;

/** A field block that may span several frames (RFC 9113 section 4.3). */
export class FieldBlock {
  readonly streamId: number;
  /** True if the stream ends after the block. */
  readonly isEnd: boolean;
  isComplete: boolean;
  #bytes: Buffer;
  #frameCount = 1;

  constructor(headers: Frame) {
    this.streamId = headers.streamId;
    this.isEnd = (headers.flags & FLAG.endStream) !== 0;
    this.isComplete = (headers.flags & FLAG.endHeaders) !== 0;
    const { bytes, begin, end } = withoutPadding(headers);
    const block = bytes.subarray(begin, end);
    // An incomplete block is needed longer than its chunk.
    this.#bytes = this.isComplete ? block : Buffer.from(block);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Adds a CONTINUATION. Throws `ProtocolError` if the block becomes too large. */
  add({ flags, bytes, begin, end }: Frame): void {
    this.#frameCount += 1;
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(begin, end)]);
    this.isComplete = (flags & FLAG.endHeaders) !== 0;
    if (this.#bytes.length > BLOCK_MAX_BYTES || this.#frameCount > FRAMES_MAX) {
      throw new ProtocolError(CODE.enhanceYourCalm, "A block of fields does not end.");
    }
  }
}
