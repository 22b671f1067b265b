import assert from "node:assert/strict";
import test from "node:test";
import { retryDelayMs } from "./retry.ts";

const MIDDLE = { code: "transient", afterMs: null, random: 0.5 } as const;

test("waits grow from a second to ten minutes, and stay there", () => {
  const waits = [1, 2, 3, 4, 5, 6, 50].map((attempts) => retryDelayMs({ ...MIDDLE, attempts }));
  assert.deepEqual(waits, [1_000, 5_000, 30_000, 120_000, 600_000, 600_000, 600_000]);
});

test("a first attempt that did not count waits as long as one that did", () => {
  assert.equal(retryDelayMs({ ...MIDDLE, attempts: 0 }), 1_000);
});

test("waits are spread by a fifth either way", () => {
  const at = (random: number) => retryDelayMs({ ...MIDDLE, attempts: 3, random });
  assert.equal(at(0), 24_000);
  assert.equal(at(0.999_999), 36_000);
});

test("a wait that the push service asks for is kept, and those who were told the same are spread", () => {
  const asked = { ...MIDDLE, attempts: 1, afterMs: 40_000 };
  assert.equal(retryDelayMs({ ...asked, random: 0 }), 40_000);
  assert.equal(retryDelayMs({ ...asked, random: 0.5 }), 42_000);
  assert.equal(retryDelayMs({ ...asked, attempts: 5, random: 0 }), 480_000);
});

test("a service that is overloaded gets a minute, doubling up to an hour", () => {
  const at = (attempts: number) => retryDelayMs({ ...MIDDLE, code: "rate_limited", attempts });
  assert.deepEqual([1, 2, 3, 10].map(at), [60_000, 120_000, 240_000, 3_600_000]);
});
