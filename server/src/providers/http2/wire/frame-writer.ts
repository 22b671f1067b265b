import { CODE, FLAG, FRAME, FRAME_HEADER_BYTES, SETTING } from "./codes.ts";
import type { Outbox } from "./outbox.ts";

/** The client's connection preface (RFC 9113 section 3.4). */
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTING_BYTES = 6;
const PING_BYTES = 8;

/** The limits that we announce. */
export interface OurSettings {
  readonly initialWindowSize: number;
  readonly maxHeaderListSize: number;
}

/** Writes a frame header. The caller must have reserved the space. */
export function writeFrameHeader(
  out: Outbox,
  header: {
    readonly type: number;
    readonly flags: number;
    readonly streamId: number;
    readonly length: number;
  },
): void {
  const { bytes, at } = out;
  const { type, flags, streamId, length } = header;
  bytes[at] = length >>> 16;
  bytes[at + 1] = length >>> 8;
  bytes[at + 2] = length;
  bytes[at + 3] = type;
  bytes[at + 4] = flags;
  bytes.writeUInt32BE(streamId, at + 5);
  out.at = at + FRAME_HEADER_BYTES;
}

/** Writes the preface of a connection. Push is disabled (RFC 9113 section 8.4). */
export function writePreface(out: Outbox, settings: OurSettings): void {
  const pairs = [
    [SETTING.enablePush, 0],
    [SETTING.initialWindowSize, settings.initialWindowSize],
    [SETTING.maxHeaderListSize, settings.maxHeaderListSize],
  ] as const;
  const length = pairs.length * SETTING_BYTES;
  out.reserve(PREFACE.length + FRAME_HEADER_BYTES + length);
  out.at += out.bytes.write(PREFACE, out.at, "latin1");
  writeFrameHeader(out, { type: FRAME.settings, flags: 0, streamId: 0, length });
  for (const [id, value] of pairs) {
    out.at = out.bytes.writeUInt16BE(id, out.at);
    out.at = out.bytes.writeUInt32BE(value, out.at);
  }
}

/** Acknowledges the server's SETTINGS. */
export function writeSettingsAck(out: Outbox): void {
  out.reserve(FRAME_HEADER_BYTES);
  writeFrameHeader(out, { type: FRAME.settings, flags: FLAG.ack, streamId: 0, length: 0 });
}

/** Writes a PING, or with `FLAG.ack` the response to one. The payload has eight bytes. */
export function writePing(out: Outbox, flags: number, payload: Uint8Array): void {
  out.reserve(FRAME_HEADER_BYTES + PING_BYTES);
  writeFrameHeader(out, { type: FRAME.ping, flags, streamId: 0, length: PING_BYTES });
  out.bytes.set(payload, out.at);
  out.at += PING_BYTES;
}

/** Widens a receive window by `increment` bytes. */
export function writeWindowUpdate(out: Outbox, streamId: number, increment: number): void {
  writeNumber(out, { type: FRAME.windowUpdate, streamId }, increment);
}

/** Resets a stream. */
export function writeReset(out: Outbox, streamId: number, code: number): void {
  writeNumber(out, { type: FRAME.rstStream, streamId }, code);
}

/** Writes a GOAWAY. The last stream is 0, because servers begin no streams. */
export function writeGoaway(out: Outbox, code: number = CODE.noError): void {
  const length = 8;
  out.reserve(FRAME_HEADER_BYTES + length);
  writeFrameHeader(out, { type: FRAME.goaway, flags: 0, streamId: 0, length });
  out.at = out.bytes.writeUInt32BE(0, out.at);
  out.at = out.bytes.writeUInt32BE(code, out.at);
}

function writeNumber(
  out: Outbox,
  { type, streamId }: { readonly type: number; readonly streamId: number },
  value: number,
): void {
  const length = 4;
  out.reserve(FRAME_HEADER_BYTES + length);
  writeFrameHeader(out, { type, flags: 0, streamId, length });
  out.at = out.bytes.writeUInt32BE(value, out.at);
}
