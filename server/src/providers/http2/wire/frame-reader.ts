import { CODE, FRAME_HEADER_BYTES, FRAME_MAX_BYTES } from "./codes.ts";
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
  #rest: Buffer | null = null;

  /** Calls `onFrame` for each frame that the chunk completes. Throws `ProtocolError` on one that is too large. */
  read(chunk: Buffer, onFrame: (frame: Frame) => void): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const length = readLength(bytes, at);
      if (length > FRAME_MAX_BYTES) {
        throw new ProtocolError(CODE.frameSizeError, `A frame of ${length} bytes is too large.`);
      }
      const begin = at + FRAME_HEADER_BYTES;
      const end = begin + length;
      if (end > bytes.length) break;
      onFrame(readFrame(bytes, { at, begin, end }));
      at = end;
    }
    // Copied, so that the socket's chunk can be freed.
    this.#rest = at === bytes.length ? null : Buffer.from(bytes.subarray(at));
  }
}

function readLength(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}

function readFrame(
  bytes: Buffer,
  { at, begin, end }: { readonly at: number; readonly begin: number; readonly end: number },
): Frame {
  return {
    type: bytes[at + 3] ?? 0,
    flags: bytes[at + 4] ?? 0,
    // The reserved bit is ignored (RFC 9113 section 4.1).
    streamId: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
    bytes,
    begin,
    end,
  };
}
