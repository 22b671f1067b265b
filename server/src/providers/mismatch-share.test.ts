import assert from "node:assert/strict";
import { test } from "node:test";
import { MismatchShare } from "./mismatch-share.ts";

const MINUTE_MS = 60 * 1000;

function setUp(startMs: number) {
  const clock = { ms: startMs };
  const share = new MismatchShare(() => clock.ms);
  const accept = (count: number): void => {
    for (let index = 0; index < count; index += 1) share.noteAccepted();
  };
  return { clock, share, accept };
}

test("a mismatch points to the settings if nothing was accepted", () => {
  const { share } = setUp(0);
  assert.equal(share.judgeMismatch(), "settings");
  assert.equal(share.judgeMismatch(), "settings");
});

test("one mismatch in five points to the device, a larger share is unclear", () => {
  const { share, accept } = setUp(0);
  accept(4);
  assert.equal(share.judgeMismatch(), "device");
  assert.equal(share.judgeMismatch(), "unclear");
  accept(4);
  assert.equal(share.judgeMismatch(), "unclear");
  accept(8);
  assert.equal(share.judgeMismatch(), "device");
});

test("an accepted message stops counting after five minutes", () => {
  const { clock, share, accept } = setUp(0);
  accept(100);
  clock.ms += 5 * MINUTE_MS - 1;
  assert.equal(share.judgeMismatch(), "device");
  clock.ms += 1;
  assert.equal(share.judgeMismatch(), "settings");
});

test("a mismatch stops counting after five minutes", () => {
  const { clock, share, accept } = setUp(0);
  for (let count = 0; count < 50; count += 1) share.judgeMismatch();
  clock.ms += 5 * MINUTE_MS;
  accept(4);
  assert.equal(share.judgeMismatch(), "device");
});

test("a steady flow of answers is counted completely", () => {
  const { clock, share, accept } = setUp(0);
  for (let second = 0; second < 200; second += 1) {
    accept(1);
    clock.ms += 1_000;
  }
  for (let count = 0; count < 50; count += 1) assert.equal(share.judgeMismatch(), "device");
  assert.equal(share.judgeMismatch(), "unclear");
});
