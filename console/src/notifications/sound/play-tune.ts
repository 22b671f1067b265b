import type { Sound } from "@tocsin/sdk";
import { TUNES, type Tone } from "./tunes.ts";

const START_TIMEOUT_MS = 2_000;
/** Attack of a tone. An abrupt start would click. */
const ATTACK_S = 0.01;
/** Lowest gain. An exponential ramp cannot reach 0. */
const GAIN_MIN = 0.0001;

let sharedContext: AudioContext | null = null;

/** Plays a sound once. Resolves at its end, or without playing it if the browser has no audio output. */
export async function playTune(sound: Sound): Promise<void> {
  const context = (sharedContext ??= new AudioContext());
  const toneEnds = TUNES[sound].map((tone) => playTone(context, tone));
  if (await canStart(context)) {
    await Promise.all(toneEnds);
    return;
  }
  // Otherwise, the sound would play later, as soon as an audio output is connected.
  sharedContext = null;
  await context.close();
}

/** Returns whether the audio context starts. Without an audio output, its promise never settles. */
async function canStart(context: AudioContext): Promise<boolean> {
  let timer = 0;
  const timeout = new Promise<false>((resolve) => {
    timer = window.setTimeout(() => resolve(false), START_TIMEOUT_MS);
  });
  const startup = context.resume().then(
    () => true,
    () => false,
  );
  return Promise.race([startup, timeout]).finally(() => clearTimeout(timer));
}

function playTone(context: AudioContext, tone: Tone): Promise<void> {
  const { startMs, lengthMs, hertz, glideTo, wave, gain } = tone;
  const start = context.currentTime + startMs / 1_000;
  const end = start + lengthMs / 1_000;
  const oscillator = new OscillatorNode(context, { type: wave, frequency: hertz });
  if (glideTo !== undefined) {
    oscillator.frequency.setValueAtTime(hertz, start);
    oscillator.frequency.exponentialRampToValueAtTime(glideTo, end);
  }
  const volume = new GainNode(context, { gain: GAIN_MIN });
  volume.gain.setValueAtTime(GAIN_MIN, start);
  volume.gain.exponentialRampToValueAtTime(gain, start + ATTACK_S);
  volume.gain.exponentialRampToValueAtTime(GAIN_MIN, end);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(end);
  return new Promise((resolve) => {
    oscillator.addEventListener("ended", () => resolve(), { once: true });
  });
}
