import { ERROR_CODE, FRAME_FLAG, FRAME_TYPE, FRAME_HEADER_BYTES, SETTING_ID } from "./codes.ts";
import type { Outbox } from "./outbox.ts";

/** The client's connection preface (RFC 9113 section 3.4). */
const CONNECTION_PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTING_BYTES = 6;
const PING_BYTES = 8;

/** The limits that our SETTINGS announce. */
export interface AnnouncedSettings {
  readonly initialWindowSize: number;
  readonly maxHeaderListSize: number;
}

/** Writes a frame header. The caller must have reserved the space. */
export function writeFrameHeader(
  outbox: Outbox,
  header: {
    readonly type: number;
    readonly flags: number;
    readonly streamId: number;
    readonly length: number;
  },
): void {
  const { bytes, offset } = outbox;
  const { type, flags, streamId, length } = header;
  bytes[offset] = length >>> 16;
  bytes[offset + 1] = length >>> 8;
  bytes[offset + 2] = length;
  bytes[offset + 3] = type;
  bytes[offset + 4] = flags;
  bytes.writeUInt32BE(streamId, offset + 5);
  outbox.offset = offset + FRAME_HEADER_BYTES;
}

/** Writes the preface of a connection. Push is disabled (RFC 9113 section 8.4). */
export function writePreface(outbox: Outbox, settings: AnnouncedSettings): void {
  const pairs = [
    [SETTING_ID.enablePush, 0],
    [SETTING_ID.initialWindowSize, settings.initialWindowSize],
    [SETTING_ID.maxHeaderListSize, settings.maxHeaderListSize],
  ] as const;
  const length = pairs.length * SETTING_BYTES;
  outbox.reserve(CONNECTION_PREFACE.length + FRAME_HEADER_BYTES + length);
  outbox.offset += outbox.bytes.write(CONNECTION_PREFACE, outbox.offset, "latin1");
  writeFrameHeader(outbox, { type: FRAME_TYPE.settings, flags: 0, streamId: 0, length });
  for (const [id, value] of pairs) {
    outbox.offset = outbox.bytes.writeUInt16BE(id, outbox.offset);
    outbox.offset = outbox.bytes.writeUInt32BE(value, outbox.offset);
  }
}

/** Acknowledges the server's SETTINGS. */
export function writeSettingsAck(outbox: Outbox): void {
  outbox.reserve(FRAME_HEADER_BYTES);
  writeFrameHeader(outbox, {
    type: FRAME_TYPE.settings,
    flags: FRAME_FLAG.ack,
    streamId: 0,
    length: 0,
  });
}

/** Writes a PING, or with `FRAME_FLAG.ack` the response to one. The payload has eight bytes. */
export function writePing(outbox: Outbox, flags: number, payload: Uint8Array): void {
  outbox.reserve(FRAME_HEADER_BYTES + PING_BYTES);
  writeFrameHeader(outbox, { type: FRAME_TYPE.ping, flags, streamId: 0, length: PING_BYTES });
  outbox.bytes.set(payload, outbox.offset);
  outbox.offset += PING_BYTES;
}

/** Widens a receive window by `increment` bytes. */
export function writeWindowUpdate(outbox: Outbox, streamId: number, increment: number): void {
  writeNumber(outbox, { type: FRAME_TYPE.windowUpdate, streamId }, increment);
}

/** Resets a stream. */
export function writeReset(outbox: Outbox, streamId: number, code: number): void {
  writeNumber(outbox, { type: FRAME_TYPE.rstStream, streamId }, code);
}

/** Writes a GOAWAY. The last stream is 0, because servers begin no streams. */
export function writeGoaway(outbox: Outbox, code: number = ERROR_CODE.noError): void {
  const length = 8;
  outbox.reserve(FRAME_HEADER_BYTES + length);
  writeFrameHeader(outbox, { type: FRAME_TYPE.goaway, flags: 0, streamId: 0, length });
  outbox.offset = outbox.bytes.writeUInt32BE(0, outbox.offset);
  outbox.offset = outbox.bytes.writeUInt32BE(code, outbox.offset);
}

function writeNumber(
  outbox: Outbox,
  { type, streamId }: { readonly type: number; readonly streamId: number },
  value: number,
): void {
  const length = 4;
  outbox.reserve(FRAME_HEADER_BYTES + length);
  writeFrameHeader(outbox, { type, flags: 0, streamId, length });
  outbox.offset = outbox.bytes.writeUInt32BE(value, outbox.offset);
}
