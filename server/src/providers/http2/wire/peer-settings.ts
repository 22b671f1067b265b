import {
  ERROR_CODE,
  FRAME_PAYLOAD_MAX_BYTES,
  SETTING_ID,
  INITIAL_WINDOW_BYTES,
  WINDOW_MAX_BYTES,
} from "./codes.ts";
import type { Frame } from "./frame-reader.ts";
import { ProtocolError } from "./protocol-error.ts";

const SETTING_BYTES = 6;
/** The largest frame limit that a server may set (RFC 9113 section 6.5.2). */
const FRAME_LIMIT_MAX_BYTES = 2 ** 24 - 1;
const TABLE_DEFAULT_BYTES = 4_096;

/** The server's limits, with the initial values of RFC 9113 section 6.5.2. */
export class PeerSettings {
  headerTableBytes = TABLE_DEFAULT_BYTES;
  maxConcurrentStreams = Infinity;
  initialWindowSize = INITIAL_WINDOW_BYTES;
  maxFrameBytes = FRAME_PAYLOAD_MAX_BYTES;

  /** Applies a SETTINGS frame in order. Throws `ProtocolError` on a forbidden value. */
  apply({ bytes, begin, end }: Frame): void {
    if ((end - begin) % SETTING_BYTES !== 0) {
      throw new ProtocolError(
        ERROR_CODE.frameSizeError,
        "A SETTINGS frame has an incomplete setting.",
      );
    }
    for (let offset = begin; offset < end; offset += SETTING_BYTES) {
      this.#set(bytes.readUInt16BE(offset), bytes.readUInt32BE(offset + 2));
    }
  }

  /** Applies one setting. Ignores unknown ones. */
  #set(id: number, value: number): void {
    switch (id) {
      case SETTING_ID.headerTableSize:
        this.headerTableBytes = value;
        return;
      case SETTING_ID.enablePush:
        if (value !== 0) throw createProtocolError("A server must not enable push.");
        return;
      case SETTING_ID.maxConcurrentStreams:
        this.maxConcurrentStreams = value;
        return;
      case SETTING_ID.initialWindowSize:
        if (value > WINDOW_MAX_BYTES) {
          throw new ProtocolError(ERROR_CODE.flowControlError, "The initial window is too large.");
        }
        this.initialWindowSize = value;
        return;
      case SETTING_ID.maxFrameSize:
        if (value < FRAME_PAYLOAD_MAX_BYTES || value > FRAME_LIMIT_MAX_BYTES) {
          throw createProtocolError("The maximum frame size is out of range.");
        }
        this.maxFrameBytes = value;
    }
  }
}

function createProtocolError(message: string): ProtocolError {
  return new ProtocolError(ERROR_CODE.protocolError, message);
}
