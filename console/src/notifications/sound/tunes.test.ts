import assert from "node:assert/strict";
import { test } from "node:test";
import { SOUNDS } from "@tocsin/sdk";
import { TUNES } from "./tunes.ts";

const TONE_MIN_MS = 50;
const TUNE_MAX_MS = 2_000;
/** The range that the loudspeaker of a phone plays well. */
const AUDIBLE_HERTZ = { min: 100, max: 4_000 };
const GAIN = { min: 0.1, max: 0.5 };

test("every sound is audible, short and unique", () => {
  const uniqueTunes = new Set<string>();
  for (const sound of SOUNDS) {
    const tune = TUNES[sound];
    assert.ok(tune.length > 0, sound);
    for (const { startMs, lengthMs, hertz, glideTo = hertz, gain } of tune) {
      assert.ok(startMs >= 0 && lengthMs >= TONE_MIN_MS, sound);
      assert.ok(startMs + lengthMs <= TUNE_MAX_MS, sound);
      assert.ok(Math.min(hertz, glideTo) >= AUDIBLE_HERTZ.min, sound);
      assert.ok(Math.max(hertz, glideTo) <= AUDIBLE_HERTZ.max, sound);
      assert.ok(gain > GAIN.min && gain <= GAIN.max, sound);
    }
    uniqueTunes.add(JSON.stringify(tune));
  }
  assert.equal(uniqueTunes.size, SOUNDS.length);
});
