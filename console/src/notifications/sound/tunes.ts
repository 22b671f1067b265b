import type { Sound } from "@tocsin/sdk";

/** A tone of a tune. */
export interface Tone {
  /** Start, in milliseconds from the beginning of the tune. */
  readonly startMs: number;
  readonly lengthMs: number;
  readonly hertz: number;
  /** Final frequency in hertz; constant if omitted. */
  readonly glideTo?: number;
  readonly wave: "sine" | "triangle" | "square" | "sawtooth";
  /** Volume, from 0 to 1. */
  readonly gain: number;
}

/** The tune of each notification sound. The browser synthesises the tones, so no audio file is loaded. */
export const TUNES: Readonly<Record<Sound, readonly Tone[]>> = {
  default: [bell(0, 880), bell(160, 1_318.5)],
  arcade: [beep(0, 523.3), beep(90, 659.3), beep(180, 784), beep(270, 1_046.5)],
  correct: [bell(0, 784), bell(120, 1_046.5)],
  fail: [buzz(0, 220), buzz(240, 155.6)],
  harp: [523.3, 659.3, 784, 1_046.5, 1_318.5].map((hertz, index) => pluck(index * 90, hertz)),
  reveal: [glide(0, 330, 880, 500), bell(480, 1_760)],
  bubble: [glide(0, 280, 620, 90), glide(130, 360, 820, 90)],
  doorbell: [bell(0, 659.3, 900), bell(420, 523.3, 1_200)],
  flute: [breath(0, 784, 260), breath(270, 880, 260), breath(540, 1_046.5, 480)],
  money: [bell(0, 1_975.5, 120), bell(90, 2_637, 700)],
  scifi: [glide(0, 1_400, 200, 350), glide(300, 200, 1_400, 350)],
  clear: [bell(0, 1_568, 900)],
  elevator: [bell(0, 698.5, 500), bell(320, 554.4, 900)],
  guitar: [196, 246.9, 293.7, 392].map((hertz, index) => pluck(index * 45, hertz)),
  pop: [glide(0, 900, 180, 80)],
};

function bell(startMs: number, hertz: number, lengthMs = 450): Tone {
  return { startMs, lengthMs, hertz, wave: "sine", gain: 0.5 };
}

function beep(startMs: number, hertz: number): Tone {
  return { startMs, lengthMs: 80, hertz, wave: "square", gain: 0.15 };
}

function buzz(startMs: number, hertz: number): Tone {
  return { startMs, lengthMs: 220, hertz, wave: "sawtooth", gain: 0.2 };
}

function pluck(startMs: number, hertz: number): Tone {
  return { startMs, lengthMs: 700, hertz, wave: "triangle", gain: 0.4 };
}

function breath(startMs: number, hertz: number, lengthMs: number): Tone {
  return { startMs, lengthMs, hertz, wave: "sine", gain: 0.35 };
}

function glide(startMs: number, hertz: number, glideTo: number, lengthMs: number): Tone {
  return { startMs, lengthMs, hertz, glideTo, wave: "sine", gain: 0.4 };
}
