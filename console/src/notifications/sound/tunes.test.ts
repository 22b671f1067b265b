import assert from "node:assert/strict";
import { test } from "node:test";
import { SOUNDS } from "@tocsin/sdk";
import { TUNES } from "./tunes.ts";

test("every sound is heard, ends soon, and differs from all others", () => {
  const heard = new Set<string>();
  for (const sound of SOUNDS) {
    const tune = TUNES[sound];
    assert.ok(tune.length > 0, sound);
    for (const { at, lengthMs, hertz, glideTo = hertz, gain } of tune) {
      assert.ok(at >= 0 && lengthMs >= 50 && at + lengthMs <= 2_000, sound);
      assert.ok(Math.min(hertz, glideTo) >= 100 && Math.max(hertz, glideTo) <= 4_000, sound);
      assert.ok(gain > 0.1 && gain <= 0.5, sound);
    }
    heard.add(JSON.stringify(tune));
  }
  assert.equal(heard.size, SOUNDS.length);
});
