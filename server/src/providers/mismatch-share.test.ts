import assert from "node:assert/strict";
import { test } from "node:test";
import { MismatchShare } from "./mismatch-share.ts";

const MINUTE_MS = 60 * 1000;

function shareAt(startMs: number) {
  const clock = { ms: startMs };
  const share = new MismatchShare(() => clock.ms);
  const accept = (count: number): void => {
    for (let done = 0; done < count; done += 1) share.noteAccepted();
  };
  return { clock, share, accept };
}

test("where nothing was accepted, a mismatch speaks against the settings", () => {
  const { share } = shareAt(0);
  assert.equal(share.judgeMismatch(), "settings");
  assert.equal(share.judgeMismatch(), "settings");
});

test("one mismatch in five speaks against the device, one more leaves it unclear", () => {
  const { share, accept } = shareAt(0);
  accept(4);
  assert.equal(share.judgeMismatch(), "device");
  assert.equal(share.judgeMismatch(), "unclear");
  accept(4);
  assert.equal(share.judgeMismatch(), "unclear");
  accept(8);
  assert.equal(share.judgeMismatch(), "device");
});

test("an answer that is five minutes old no longer counts", () => {
  const { clock, share, accept } = shareAt(0);
  accept(100);
  clock.ms += 5 * MINUTE_MS - 1;
  assert.equal(share.judgeMismatch(), "device");
  clock.ms += 1;
  assert.equal(share.judgeMismatch(), "settings");
});

test("old mismatches do not weigh on a device either", () => {
  const { clock, share, accept } = shareAt(0);
  for (let count = 0; count < 50; count += 1) share.judgeMismatch();
  clock.ms += 5 * MINUTE_MS;
  accept(4);
  assert.equal(share.judgeMismatch(), "device");
});

test("a steady flow is counted in spans, and none of them is lost", () => {
  const { clock, share, accept } = shareAt(0);
  for (let second = 0; second < 200; second += 1) {
    accept(1);
    clock.ms += 1_000;
  }
  for (let count = 0; count < 50; count += 1) assert.equal(share.judgeMismatch(), "device");
  assert.equal(share.judgeMismatch(), "unclear");
});
