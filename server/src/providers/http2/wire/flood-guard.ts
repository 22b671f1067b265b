import { CODE } from "./codes.ts";
import { ProtocolError } from "./protocol-error.ts";

/** The limit of frames that serve no request. */
const FRAMES_MAX = 10_000;
/** Frames that a server may send per answer: the answer itself, window updates, pings, settings. */
const FRAMES_PER_ANSWER = 64;
/** Frames that a server may send per body part of ours: window updates of stream and connection. */
const FRAMES_PER_PART = 2;

/** Ends a connection whose server floods it with pings, settings or empty frames. */
export class FloodGuard {
  #left = FRAMES_MAX;

  /** Counts a frame; throws `ProtocolError` above the limit. */
  spend(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new ProtocolError(CODE.enhanceYourCalm, "It floods us with frames.");
  }

  /** Counts an answer, which allows more frames. */
  answered(): void {
    this.#earn(FRAMES_PER_ANSWER);
  }

  /** Counts a body part that we sent, which allows more frames. */
  sent(): void {
    this.#earn(FRAMES_PER_PART);
  }

  #earn(frames: number): void {
    this.#left = Math.min(FRAMES_MAX, this.#left + frames);
  }
}
