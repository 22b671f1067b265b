import assert from "node:assert/strict";
import { test } from "node:test";
import { SOUNDS } from "@tocsin/sdk";
import { TUNES } from "./tunes.ts";

test("every sound is audible, short and unique", () => {
  const uniqueTunes = new Set<string>();
  for (const sound of SOUNDS) {
    const tune = TUNES[sound];
    assert.ok(tune.length > 0, sound);
    for (const { startMs, lengthMs, hertz, glideTo = hertz, gain } of tune) {
      assert.ok(startMs >= 0 && lengthMs >= 50 && startMs + lengthMs <= 2_000, sound);
      assert.ok(Math.min(hertz, glideTo) >= 100 && Math.max(hertz, glideTo) <= 4_000, sound);
      assert.ok(gain > 0.1 && gain <= 0.5, sound);
    }
    uniqueTunes.add(JSON.stringify(tune));
  }
  assert.equal(uniqueTunes.size, SOUNDS.length);
});
