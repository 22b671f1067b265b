import { ERROR_CODE, FRAME_HEADER_BYTES, FRAME_PAYLOAD_MAX_BYTES, UINT31_MASK } from "./codes.ts";
import { ProtocolError } from "./protocol-error.ts";

/** One frame. `bytes` holds its payload from `begin` up to `end`, until the next frame is read. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** The stream; 0 means the connection. */
  readonly streamId: number;
  readonly bytes: Buffer;
  readonly begin: number;
  readonly end: number;
}

/** Splits received bytes into frames (RFC 9113 section 4). */
export class FrameReader {
  /** The start of an incomplete frame. */
  #incompleteFrame: Buffer | null = null;

  /** Calls `onFrame` for each frame that the chunk completes. Throws `ProtocolError` on one that is too large. */
  read(chunk: Buffer, onFrame: (frame: Frame) => void): void {
    const bytes =
      this.#incompleteFrame === null ? chunk : Buffer.concat([this.#incompleteFrame, chunk]);
    let offset = 0;
    while (bytes.length - offset >= FRAME_HEADER_BYTES) {
      const length = readLength(bytes, offset);
      if (length > FRAME_PAYLOAD_MAX_BYTES) {
        throw new ProtocolError(
          ERROR_CODE.frameSizeError,
          `A frame of ${length} bytes is too large.`,
        );
      }
      const begin = offset + FRAME_HEADER_BYTES;
      const end = begin + length;
      if (end > bytes.length) break;
      onFrame(readFrame(bytes, { offset, begin, end }));
      offset = end;
    }
    // Copied, so that the socket's chunk can be freed.
    this.#incompleteFrame = offset === bytes.length ? null : Buffer.from(bytes.subarray(offset));
  }
}

function readLength(bytes: Buffer, offset: number): number {
  return ((bytes[offset] ?? 0) << 16) | ((bytes[offset + 1] ?? 0) << 8) | (bytes[offset + 2] ?? 0);
}

/** Reads a frame whose header has the length in 3 bytes, the type, the flags, and the stream (RFC 9113 section 4.1). */
function readFrame(
  bytes: Buffer,
  { offset, begin, end }: { readonly offset: number; readonly begin: number; readonly end: number },
): Frame {
  return {
    type: bytes[offset + 3] ?? 0,
    flags: bytes[offset + 4] ?? 0,
    streamId: bytes.readUInt32BE(offset + 5) & UINT31_MASK,
    bytes,
    begin,
    end,
  };
}
