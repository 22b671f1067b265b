import { CODE, FLAG, FRAME } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { ProtocolError } from "./protocol-error.ts";

/** The length of the priority fields before a field block (RFC 9113 section 6.2). */
const PRIORITY_BYTES = 5;

/**
 * Returns a DATA or HEADERS frame without padding and priority. Throws `ProtocolError` if they are longer than the frame.
 */
export function withoutPadding(frame: Frame): Frame {
  const { type, flags, bytes } = frame;
  let { begin, end } = frame;
  if ((flags & FLAG.padded) !== 0) {
    if (begin === end) throw new ProtocolError(CODE.frameSizeError, "Padding has no length.");
    end -= bytes[begin] ?? 0;
    begin += 1;
  }
  if (type === FRAME.headers && (flags & FLAG.priority) !== 0) begin += PRIORITY_BYTES;
  if (begin > end) throw new ProtocolError(CODE.protocolError, "Padding is longer than its frame.");
  return begin === frame.begin && end === frame.end ? frame : { ...frame, begin, end };
}
