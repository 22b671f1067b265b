import { ERROR_CODE } from "./codes.ts";
import { ProtocolError } from "./protocol-error.ts";

/** The maximum number of frames that a server may send before it completes a response or we send a DATA frame. */
const FRAMES_MAX = 10_000;
/** Frames that a server may send per response: the response's own frames, window updates, pings and settings. */
const FRAMES_PER_RESPONSE = 64;
/** Frames that a server may send per DATA frame that we send: window updates of the stream and the connection. */
const FRAMES_PER_DATA_FRAME = 2;

/** Throws if a server floods its connection with pings, settings or empty frames. */
export class FloodGuard {
  #remainingFrames = FRAMES_MAX;

  /** Counts a frame. Throws `ProtocolError` above the limit. */
  countFrame(): void {
    this.#remainingFrames -= 1;
    if (this.#remainingFrames < 0)
      throw new ProtocolError(ERROR_CODE.enhanceYourCalm, "The server sends too many frames.");
  }

  /** Counts a response, which allows more frames. */
  countResponse(): void {
    this.#allow(FRAMES_PER_RESPONSE);
  }

  /** Counts a DATA frame that we sent, which allows more frames. */
  countDataFrame(): void {
    this.#allow(FRAMES_PER_DATA_FRAME);
  }

  #allow(frames: number): void {
    this.#remainingFrames = Math.min(FRAMES_MAX, this.#remainingFrames + frames);
  }
}
