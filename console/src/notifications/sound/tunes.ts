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

/** The tune of each notification sound. The browser synthesises the tones, so it loads no audio file. */
export const TUNES: Readonly<Record<Sound, readonly Tone[]>> = {
  default: [createBell(0, 880), createBell(160, 1_318.5)],
  arcade: [
    createBeep(0, 523.3),
    createBeep(90, 659.3),
    createBeep(180, 784),
    createBeep(270, 1_046.5),
  ],
  correct: [createBell(0, 784), createBell(120, 1_046.5)],
  fail: [createBuzz(0, 220), createBuzz(240, 155.6)],
  harp: [523.3, 659.3, 784, 1_046.5, 1_318.5].map((hertz, index) => createPluck(index * 90, hertz)),
  reveal: [createGlide(0, 330, 880, 500), createBell(480, 1_760)],
  bubble: [createGlide(0, 280, 620, 90), createGlide(130, 360, 820, 90)],
  doorbell: [createBell(0, 659.3, 900), createBell(420, 523.3, 1_200)],
  flute: [createBreath(0, 784, 260), createBreath(270, 880, 260), createBreath(540, 1_046.5, 480)],
  money: [createBell(0, 1_975.5, 120), createBell(90, 2_637, 700)],
  scifi: [createGlide(0, 1_400, 200, 350), createGlide(300, 200, 1_400, 350)],
  clear: [createBell(0, 1_568, 900)],
  elevator: [createBell(0, 698.5, 500), createBell(320, 554.4, 900)],
  guitar: [196, 246.9, 293.7, 392].map((hertz, index) => createPluck(index * 45, hertz)),
  pop: [createGlide(0, 900, 180, 80)],
};

function createBell(startMs: number, hertz: number, lengthMs = 450): Tone {
  return { startMs, lengthMs, hertz, wave: "sine", gain: 0.5 };
}

function createBeep(startMs: number, hertz: number): Tone {
  return { startMs, lengthMs: 80, hertz, wave: "square", gain: 0.15 };
}

function createBuzz(startMs: number, hertz: number): Tone {
  return { startMs, lengthMs: 220, hertz, wave: "sawtooth", gain: 0.2 };
}

function createPluck(startMs: number, hertz: number): Tone {
  return { startMs, lengthMs: 700, hertz, wave: "triangle", gain: 0.4 };
}

function createBreath(startMs: number, hertz: number, lengthMs: number): Tone {
  return { startMs, lengthMs, hertz, wave: "sine", gain: 0.35 };
}

function createGlide(startMs: number, hertz: number, glideTo: number, lengthMs: number): Tone {
  return { startMs, lengthMs, hertz, glideTo, wave: "sine", gain: 0.4 };
}
