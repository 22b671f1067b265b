// Frames of HTTP/2 (RFC 9113 sections 4.1 and 6), as far as a minimal service needs them.

/** The length in three bytes, the type, the flags, and the stream's id in four. */
export const HEADER_BYTES = 9;
/** Position of the flags in a frame header. */
export const FLAGS_OFFSET = 4;
/** Position of the stream id in a frame header. */
export const STREAM_ID_OFFSET = 5;
const TYPE_OFFSET = 3;

/** Frame type of a body. */
export const DATA = 0;
/** Frame type of header fields. */
export const HEADERS = 1;
/** Frame type of connection settings. */
export const SETTINGS = 4;
/** Frame type of a liveness check. */
export const PING = 6;
const WINDOW_UPDATE = 8;

/** Flag of the last frame of a request or response. */
export const END_STREAM = 0x01;
/** Flag that acknowledges SETTINGS or PING. */
export const ACK = 0x01;
/** Flag of a header block that no CONTINUATION follows. */
export const END_HEADERS = 0x04;

/** Identifiers of settings (RFC 9113 section 6.5.2), and the size of a setting. */
const MAX_CONCURRENT_STREAMS = 3;
const INITIAL_WINDOW_SIZE = 4;
const SETTING_BYTES = 6;
/** The size of the length at the start of a frame header. */
const LENGTH_BYTES = 3;

/** Frames that arrived together. */
export interface Frames {
  readonly bytes: Buffer;
  /** The positions of the complete frames. */
  readonly starts: readonly number[];
  /** The end of the last complete frame; a part of the next may follow. */
  readonly end: number;
}

/** Finds the frames in received bytes from position `from`. */
export function splitFrames(bytes: Buffer, from: number): Frames {
  const starts: number[] = [];
  let position = from;
  while (bytes.length - position >= HEADER_BYTES) {
    const end = position + HEADER_BYTES + readPayloadLength(bytes, position);
    if (end > bytes.length) break;
    starts.push(position);
    position = end;
  }
  return { bytes, starts, end: position };
}

/** Returns the type of the frame at this position, and its flags. */
export function readTypeAndFlags(
  bytes: Buffer,
  position: number,
): { readonly type: number; readonly flags: number } {
  return {
    type: bytes.readUInt8(position + TYPE_OFFSET),
    flags: bytes.readUInt8(position + FLAGS_OFFSET),
  };
}

/** Returns the number of bytes that count against flow control: those of DATA frames (RFC 9113 section 5.2.1). */
export function countFlowControlledBytes({ bytes, starts }: Frames): number {
  let byteCount = 0;
  for (const position of starts)
    if (readTypeAndFlags(bytes, position).type === DATA)
      byteCount += readPayloadLength(bytes, position);
  return byteCount;
}

function readPayloadLength(bytes: Buffer, position: number): number {
  return bytes.readUIntBE(position, LENGTH_BYTES);
}

/** Encodes a frame of stream 0, the connection. */
export function encodeFrame(
  { type, flags }: { readonly type: number; readonly flags: number },
  payload: Buffer,
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, LENGTH_BYTES);
  header.writeUInt8(type, TYPE_OFFSET);
  header.writeUInt8(flags, FLAGS_OFFSET);
  return Buffer.concat([header, payload]);
}

/** Encodes SETTINGS with a stream limit and a window size. */
export function encodeSettings({
  streamsMax,
  window,
}: {
  readonly streamsMax: number;
  readonly window: number;
}): Buffer {
  const payload = Buffer.alloc(2 * SETTING_BYTES);
  let offset = payload.writeUInt16BE(MAX_CONCURRENT_STREAMS);
  offset = payload.writeUInt32BE(streamsMax, offset);
  offset = payload.writeUInt16BE(INITIAL_WINDOW_SIZE, offset);
  payload.writeUInt32BE(window, offset);
  return encodeFrame({ type: SETTINGS, flags: 0 }, payload);
}

/** Encodes a WINDOW_UPDATE of the connection. */
export function encodeWindowUpdate(increment: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return encodeFrame({ type: WINDOW_UPDATE, flags: 0 }, payload);
}
