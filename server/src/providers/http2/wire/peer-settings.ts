import { CODE, FRAME_MAX_BYTES, SETTING, WINDOW_DEFAULT, WINDOW_MAX } from "./codes.ts";
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
  initialWindowSize = WINDOW_DEFAULT;
  maxFrameBytes = FRAME_MAX_BYTES;

  /** Applies a SETTINGS frame in order. Throws `ProtocolError` on a forbidden value. */
  apply({ bytes, begin, end }: Frame): void {
    if ((end - begin) % SETTING_BYTES !== 0) {
      throw new ProtocolError(CODE.frameSizeError, "SETTINGS end within a setting.");
    }
    for (let at = begin; at < end; at += SETTING_BYTES) {
      this.#set(bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2));
    }
  }

  /** Applies one setting. Ignores unknown ones. */
  #set(id: number, value: number): void {
    switch (id) {
      case SETTING.headerTableSize:
        this.headerTableBytes = value;
        return;
      case SETTING.enablePush:
        if (value !== 0) throw protocolError("A server cannot be pushed to.");
        return;
      case SETTING.maxConcurrentStreams:
        this.maxConcurrentStreams = value;
        return;
      case SETTING.initialWindowSize:
        if (value > WINDOW_MAX) {
          throw new ProtocolError(CODE.flowControlError, "The initial window is too large.");
        }
        this.initialWindowSize = value;
        return;
      case SETTING.maxFrameSize:
        if (value < FRAME_MAX_BYTES || value > FRAME_LIMIT_MAX_BYTES) {
          throw protocolError("The largest frame is out of its bounds.");
        }
        this.maxFrameBytes = value;
    }
  }
}

function protocolError(message: string): ProtocolError {
  return new ProtocolError(CODE.protocolError, message);
}
