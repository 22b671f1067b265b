import { ERROR_CODE, FRAME_FLAG, FRAME_TYPE, PAYLOAD_BYTES } from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { ProtocolError } from "./protocol-error.ts";

/**
 * Returns a DATA or HEADERS frame without padding and priority. Throws `ProtocolError` if they are longer than the
 * frame.
 */
export function removePadding(frame: Frame): Frame {
  const { type, flags, bytes } = frame;
  let { begin, end } = frame;
  if ((flags & FRAME_FLAG.padded) !== 0) {
    if (begin === end)
      throw new ProtocolError(ERROR_CODE.frameSizeError, "A padded frame is empty.");
    end -= bytes[begin] ?? 0;
    begin += 1;
  }
  // The priority has the form of a PRIORITY frame (RFC 9113 section 6.2).
  if (type === FRAME_TYPE.headers && (flags & FRAME_FLAG.priority) !== 0)
    begin += PAYLOAD_BYTES.priority;
  if (begin > end)
    throw new ProtocolError(ERROR_CODE.protocolError, "Padding is longer than its frame.");
  return begin === frame.begin && end === frame.end ? frame : { ...frame, begin, end };
}
