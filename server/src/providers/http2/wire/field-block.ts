import { ERROR_CODE, FRAME_FLAG } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { removePadding } from "./padding.ts";
import { ProtocolError } from "./protocol-error.ts";

/** The limits of a block. The number of frames is limited too, because each may be empty. */
const BLOCK_MAX_BYTES = 65_536;
const FRAMES_MAX = 16;

/** A field block that may span several frames (RFC 9113 section 4.3). */
export class FieldBlock {
  readonly streamId: number;
  /** True if the stream ends after the block. */
  readonly isEnd: boolean;
  /** True once the last frame of the block was added. */
  isComplete: boolean;
  #bytes: Buffer;
  #frameCount = 1;

  constructor(headers: Frame) {
    this.streamId = headers.streamId;
    this.isEnd = (headers.flags & FRAME_FLAG.endStream) !== 0;
    this.isComplete = (headers.flags & FRAME_FLAG.endHeaders) !== 0;
    const { bytes, begin, end } = removePadding(headers);
    const block = bytes.subarray(begin, end);
    // An incomplete block is needed longer than its chunk.
    this.#bytes = this.isComplete ? block : Buffer.from(block);
  }

  /** The encoded fields. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Adds a CONTINUATION. Throws `ProtocolError` if the block has too many bytes or frames. */
  add({ flags, bytes, begin, end }: Frame): void {
    this.#frameCount += 1;
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(begin, end)]);
    this.isComplete = (flags & FRAME_FLAG.endHeaders) !== 0;
    if (this.#bytes.length > BLOCK_MAX_BYTES || this.#frameCount > FRAMES_MAX) {
      throw new ProtocolError(ERROR_CODE.enhanceYourCalm, "A field block is too large.");
    }
  }
}
