import assert from "node:assert/strict";
import test from "node:test";
import { PROVIDERS, type ProviderName } from "@tocsin/sdk";
import {
  ATTEMPTS_MAX,
  computeLastAttemptAt,
  computeRetryDelayMs,
  type RetryInput,
} from "./retry.ts";

const FIRST: RetryInput = {
  provider: "webpush",
  code: "transient",
  attempts: 1,
  tries: 1,
  afterMs: null,
  random: 1,
};

/** Returns the delays in seconds after the first attempt, the second, and so on. The default jitter is the largest. */
function listDelaysInSeconds(overrides: Partial<RetryInput>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const input = { ...FIRST, ...overrides, attempts: index + 1, tries: index + 1 };
    return computeRetryDelayMs(input) / 1_000;
  });
}

test("after a transient failure, the delay of each service grows up to a maximum", () => {
  assert.deepEqual(listDelaysInSeconds({ provider: "apns" }, 5), [60, 900, 1_800, 3_600, 3_600]);
  assert.deepEqual(listDelaysInSeconds({ provider: "apns", random: 0 }, 3), [30, 450, 900]);
  assert.deepEqual(listDelaysInSeconds({ provider: "fcm" }, 7), [20, 40, 80, 160, 320, 640, 900]);
  const browsers = listDelaysInSeconds({ provider: "webpush" }, 11);
  assert.deepEqual(browsers, [1.2, 6, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  assert.deepEqual(listDelaysInSeconds({ provider: "webpush", random: 0 }, 3), [0.8, 4, 15]);
});

test("after a lost response, the first delay is at most five seconds, but at Google at least ten", () => {
  assert.deepEqual(listDelaysInSeconds({ provider: "apns", code: "ambiguous" }, 3), [5, 10, 20]);
  assert.deepEqual(listDelaysInSeconds({ provider: "webpush", code: "ambiguous" }, 9).at(-1), 600);
  assert.deepEqual(
    listDelaysInSeconds({ provider: "fcm", code: "ambiguous", random: 0 }, 2),
    [10, 20],
  );
});

test("the delays of a whole delivery add up to the expected total for each provider", () => {
  const computeTotalSeconds = (provider: ProviderName, random: number) =>
    listDelaysInSeconds({ provider, random }, ATTEMPTS_MAX[provider] - 1).reduce(
      (sum, wait) => sum + wait,
      0,
    );
  const computeHours = (provider: ProviderName, random: number) =>
    Number((computeTotalSeconds(provider, random) / 3_600).toFixed(1));
  assert.deepEqual([computeHours("apns", 0.5), computeHours("apns", 1)], [3.6, 4.8]);
  assert.deepEqual(
    [computeTotalSeconds("fcm", 0.5) / 60, computeTotalSeconds("fcm", 1) / 60],
    [27, 36],
  );
  assert.deepEqual([computeHours("webpush", 0.5), computeHours("webpush", 1)], [2.3, 3.1]);
});

test("after a rate limit, the delay has three steps at Apple, and doubles up to an hour elsewhere", () => {
  const steps = listDelaysInSeconds({ provider: "apns", code: "rate_limited", random: 0.5 }, 4);
  assert.deepEqual(steps, [30, 120, 600, 600]);
  for (const provider of ["fcm", "webpush"] as const) {
    const doubled = listDelaysInSeconds({ provider, code: "rate_limited" }, 8);
    assert.deepEqual(doubled, [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  }
});

test("the delay for an unreachable service grows with each failed attempt, although none counts", () => {
  const getDelayAfter = (tries: number) =>
    computeRetryDelayMs({ ...FIRST, code: "unreachable", attempts: 0, tries }) / 1_000;
  assert.deepEqual([1, 2, 3, 8, 50].map(getDelayAfter), [5, 10, 20, 600, 600]);
});

test("the delay after a first attempt is the same whether or not the attempt counts", () => {
  assert.equal(computeRetryDelayMs({ ...FIRST, attempts: 0 }), 1_200);
});

test("a delay is never shorter than the push service asks for; after a rate limit, our own delay does not count", () => {
  const withDelay = { ...FIRST, afterMs: 40_000 };
  assert.equal(computeRetryDelayMs({ ...withDelay, random: 0 }), 40_000);
  assert.equal(computeRetryDelayMs({ ...withDelay, random: 0.5 }), 42_000);
  assert.equal(computeRetryDelayMs({ ...withDelay, attempts: 6, random: 0 }), 120_000);
  const rateLimited = { ...withDelay, code: "rate_limited", attempts: 6, random: 0 } as const;
  assert.equal(computeRetryDelayMs(rateLimited), 40_000);
  assert.equal(computeRetryDelayMs({ ...rateLimited, afterMs: 0 }), 1_000);
});

/**
 * Returns the second of the last attempt at a notification with a TTL of 40 seconds, after an attempt that failed in
 * the second `failedAt`; null if there is no other attempt. Seconds count from the acceptance.
 */
function getLastAttemptSecond(
  failedAt: number,
  overrides: Partial<Parameters<typeof computeLastAttemptAt>[0]> = {},
) {
  const times = { now: failedAt * 1_000, expiresAt: 40_000 };
  const last = computeLastAttemptAt({ ...FIRST, random: 0.5, ...times, ...overrides });
  return last === null ? null : last / 1_000;
}

test("if the next attempt would come after the expiry, a last one begins about five seconds before it", () => {
  assert.equal(getLastAttemptSecond(24), 35);
  assert.deepEqual(
    [getLastAttemptSecond(24, { random: 0 }), getLastAttemptSecond(24, { random: 1 })],
    [36, 34],
  );
  assert.equal(getLastAttemptSecond(24, { provider: "apns" }), 35);
  assert.equal(getLastAttemptSecond(24, { provider: "fcm" }), 35);
});

test("a last attempt begins after the delay that a push service asks for, or is not made", () => {
  // Google always asks for ten seconds, other services only if they name a delay.
  assert.deepEqual(
    [getLastAttemptSecond(28, { provider: "fcm" }), getLastAttemptSecond(29, { provider: "fcm" })],
    [38, null],
  );
  const busy = { code: "rate_limited" } as const;
  assert.equal(getLastAttemptSecond(24, busy), null);
  assert.equal(getLastAttemptSecond(24, { ...busy, afterMs: 13_000 }), 37);
  assert.equal(getLastAttemptSecond(24, { ...busy, afterMs: 15_000 }), null);
  assert.equal(getLastAttemptSecond(24, { afterMs: 3_600_000 }), null);
});

test("no attempt follows a failed last one, for every jitter", () => {
  const seconds = Array.from({ length: 40 }, (_, second) => second);
  const cases = PROVIDERS.flatMap((provider) =>
    (["transient", "unreachable", "ambiguous", "suspect"] as const).flatMap((code) =>
      [0, 0.5, 0.999].map((random) => ({ provider, code, random })),
    ),
  );
  for (const { random, ...failed } of cases) {
    const lastAttempts = seconds.map((failedAt) => ({
      failedAt,
      last: getLastAttemptSecond(failedAt, { ...failed, random }),
    }));
    const attempts = lastAttempts.filter((one) => one.last !== null);
    assert.ok(attempts.length > 20);
    for (const { failedAt, last } of attempts) {
      assert.ok(last !== null && last >= failedAt + 5 && last <= 38, `${failedAt} s: ${last}`);
      assert.equal(getLastAttemptSecond(last, { ...failed, random: 0.999 - random }), null);
    }
  }
});
