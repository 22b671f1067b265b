import { CODE } from "./codes.ts";
import { ProtocolError } from "./protocol-error.ts";

/** So many frames may come that bring us nothing. */
const FRAMES_MAX = 10_000;
/** What a far side may send for an answer: the answer itself, room for more, signs of life, settings. */
const FRAMES_PER_ANSWER = 64;
/** And for a part of a body: room on its stream, and on the connection. */
const FRAMES_PER_PART = 2;

/** Ends a connection whose far side makes us work for nothing: pings, settings, empty frames, one after the other. */
export class FloodGuard {
  #left = FRAMES_MAX;

  /** Counts a frame; throws `ProtocolError` when there were too many. */
  spend(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new ProtocolError(CODE.enhanceYourCalm, "It floods us with frames.");
  }

  /** Counts an answer that we waited for. */
  answered(): void {
    this.#earn(FRAMES_PER_ANSWER);
  }

  /** Counts a part of a body that the far side made room for. */
  sent(): void {
    this.#earn(FRAMES_PER_PART);
  }

  #earn(frames: number): void {
    this.#left = Math.min(FRAMES_MAX, this.#left + frames);
  }
}
