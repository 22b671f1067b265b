import type { Sound } from "@tocsin/sdk";
import { TUNES, type Tone } from "./tunes.ts";

const START_TIMEOUT_MS = 2_000;
/** Attack of a tone: an abrupt start would click. */
const ATTACK_S = 0.01;
/** Lowest gain: no exponential ramp reaches 0. */
const SILENCE = 0.0001;

let audio: AudioContext | null = null;

/** Plays a sound once. Resolves at its end, or without a sound if the browser has no audio output. */
export async function play(sound: Sound): Promise<void> {
  const context = (audio ??= new AudioContext());
  const ends = TUNES[sound].map((tone) => playTone(context, tone));
  if (await isHeard(context)) {
    await Promise.all(ends);
    return;
  }
  // Otherwise it would be heard as soon as a loudspeaker is plugged in.
  audio = null;
  await context.close();
}

/** A browser without a loudspeaker never answers. */
async function isHeard(context: AudioContext): Promise<boolean> {
  let timer = 0;
  const late = new Promise<false>((resolve) => {
    timer = window.setTimeout(() => resolve(false), START_TIMEOUT_MS);
  });
  const started = context.resume().then(
    () => true,
    () => false,
  );
  return Promise.race([started, late]).finally(() => clearTimeout(timer));
}

function playTone(context: AudioContext, tone: Tone): Promise<void> {
  const { at, lengthMs, hertz, glideTo, wave, gain } = tone;
  const start = context.currentTime + at / 1_000;
  const end = start + lengthMs / 1_000;
  const oscillator = new OscillatorNode(context, { type: wave, frequency: hertz });
  if (glideTo !== undefined) {
    oscillator.frequency.setValueAtTime(hertz, start);
    oscillator.frequency.exponentialRampToValueAtTime(glideTo, end);
  }
  const volume = new GainNode(context, { gain: SILENCE });
  volume.gain.setValueAtTime(SILENCE, start);
  volume.gain.exponentialRampToValueAtTime(gain, start + ATTACK_S);
  volume.gain.exponentialRampToValueAtTime(SILENCE, end);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(end);
  return new Promise((resolve) => {
    oscillator.addEventListener("ended", () => resolve(), { once: true });
  });
}
