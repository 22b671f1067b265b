// Frames of HTTP/2 (RFC 9113 sections 4.1 and 6), as far as a minimal service needs them.

/** The length in three bytes, the type, the flags, and the stream's id in four. */
export const HEAD_BYTES = 9;
export const FLAGS_AT = 4;
export const STREAM_ID_AT = 5;
const TYPE_AT = 3;

export const DATA = 0;
export const HEADERS = 1;
export const SETTINGS = 4;
export const PING = 6;
const WINDOW_UPDATE = 8;

export const END_STREAM = 0x01;
export const ACK = 0x01;
export const END_HEADERS = 0x04;

const MAX_CONCURRENT_STREAMS = 3;
const INITIAL_WINDOW_SIZE = 4;

/** Frames that arrived together. */
export interface Frames {
  readonly bytes: Buffer;
  /** The positions of the complete ones. */
  readonly starts: readonly number[];
  /** The end of the last one; a part of the next may follow. */
  readonly end: number;
}

/** Returns the frames in some bytes, the first of which begins at `from`. */
export function cutFrames(bytes: Buffer, from: number): Frames {
  const starts: number[] = [];
  let at = from;
  while (bytes.length - at >= HEAD_BYTES) {
    const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    starts.push(at);
    at = end;
  }
  return { bytes, starts, end: at };
}

/** Returns the type of the frame at this position, and its flags. */
export function kindAt(
  bytes: Buffer,
  at: number,
): { readonly type: number; readonly flags: number } {
  return { type: bytes.readUInt8(at + TYPE_AT), flags: bytes.readUInt8(at + FLAGS_AT) };
}

/** Returns how many bytes of some frames count against flow control: those of DATA (RFC 9113 section 5.2.1). */
export function countedIn({ bytes, starts }: Frames): number {
  let counted = 0;
  for (const at of starts) if (kindAt(bytes, at).type === DATA) counted += bytes.readUIntBE(at, 3);
  return counted;
}

/** Returns a frame of stream 0, which is the whole connection. */
export function frameOf(
  { type, flags }: { readonly type: number; readonly flags: number },
  payload: Buffer,
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, TYPE_AT);
  head.writeUInt8(flags, FLAGS_AT);
  return Buffer.concat([head, payload]);
}

/** Returns SETTINGS for this many streams, and this many bytes on each. */
export function settingsOf({
  streamsMax,
  window,
}: {
  readonly streamsMax: number;
  readonly window: number;
}): Buffer {
  const payload = Buffer.alloc(12);
  payload.writeUInt16BE(MAX_CONCURRENT_STREAMS, 0);
  payload.writeUInt32BE(streamsMax, 2);
  payload.writeUInt16BE(INITIAL_WINDOW_SIZE, 6);
  payload.writeUInt32BE(window, 8);
  return frameOf({ type: SETTINGS, flags: 0 }, payload);
}

/** Returns the frame that admits this many more bytes on the connection. */
export function widenedBy(increment: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return frameOf({ type: WINDOW_UPDATE, flags: 0 }, payload);
}
