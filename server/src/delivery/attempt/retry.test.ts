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

/** Returns the delays after the first, second, … attempt, in seconds. The default jitter is the largest. */
function listDelays(overrides: Partial<RetryInput>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const input = { ...FIRST, ...overrides, attempts: index + 1, tries: index + 1 };
    return computeRetryDelayMs(input) / 1_000;
  });
}

test("transient failures wait as long as each service asks for, up to its cap", () => {
  assert.deepEqual(listDelays({ provider: "apns" }, 5), [60, 900, 1_800, 3_600, 3_600]);
  assert.deepEqual(listDelays({ provider: "apns", random: 0 }, 3), [30, 450, 900]);
  assert.deepEqual(listDelays({ provider: "fcm" }, 7), [20, 40, 80, 160, 320, 640, 900]);
  const browsers = listDelays({ provider: "webpush" }, 11);
  assert.deepEqual(browsers, [1.2, 6, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  assert.deepEqual(listDelays({ provider: "webpush", random: 0 }, 3), [0.8, 4, 15]);
});

test("a lost response is retried soon, but at Google not within ten seconds", () => {
  assert.deepEqual(listDelays({ provider: "apns", code: "ambiguous" }, 3), [5, 10, 20]);
  assert.deepEqual(listDelays({ provider: "webpush", code: "ambiguous" }, 9).at(-1), 600);
  assert.deepEqual(listDelays({ provider: "fcm", code: "ambiguous", random: 0 }, 2), [10, 20]);
});

test("the delays of a whole delivery add up to the expected total for each provider", () => {
  const computeTotalSeconds = (provider: ProviderName, random: number) =>
    listDelays({ provider, random }, ATTEMPTS_MAX[provider] - 1).reduce(
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

test("a rate limit waits in steps at Apple and doubles up to an hour elsewhere", () => {
  const steps = listDelays({ provider: "apns", code: "rate_limited", random: 0.5 }, 4);
  assert.deepEqual(steps, [30, 120, 600, 600]);
  for (const provider of ["fcm", "webpush"] as const) {
    const doubled = listDelays({ provider, code: "rate_limited" }, 8);
    assert.deepEqual(doubled, [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  }
});

test("delays for an unreachable service grow with all tries, because none is counted", () => {
  const getDelayAfter = (tries: number) =>
    computeRetryDelayMs({ ...FIRST, code: "unreachable", attempts: 0, tries }) / 1_000;
  assert.deepEqual([1, 2, 3, 8, 50].map(getDelayAfter), [5, 10, 20, 600, 600]);
});

test("a first attempt that did not count waits as long as one that did", () => {
  assert.equal(computeRetryDelayMs({ ...FIRST, attempts: 0 }), 1_200);
});

test("a delay that the push service asks for is kept and spread by jitter", () => {
  const withDelay = { ...FIRST, afterMs: 40_000 };
  assert.equal(computeRetryDelayMs({ ...withDelay, random: 0 }), 40_000);
  assert.equal(computeRetryDelayMs({ ...withDelay, random: 0.5 }), 42_000);
  assert.equal(computeRetryDelayMs({ ...withDelay, attempts: 6, random: 0 }), 120_000);
  const rateLimited = { ...withDelay, code: "rate_limited", attempts: 6, random: 0 } as const;
  assert.equal(computeRetryDelayMs(rateLimited), 40_000);
  assert.equal(computeRetryDelayMs({ ...rateLimited, afterMs: 0 }), 1_000);
});

/**
 * Returns the last attempt of a notification with a TTL of 40 s whose service failed after `at` seconds, in seconds.
 */
function getLastAttemptAt(
  at: number,
  overrides: Partial<Parameters<typeof computeLastAttemptAt>[0]> = {},
) {
  const times = { now: at * 1_000, expiresAt: 40_000 };
  const last = computeLastAttemptAt({ ...FIRST, random: 0.5, ...times, ...overrides });
  return last === null ? null : last / 1_000;
}

test("a delay beyond the expiry becomes one last attempt just before it", () => {
  assert.equal(getLastAttemptAt(24), 35);
  assert.deepEqual(
    [getLastAttemptAt(24, { random: 0 }), getLastAttemptAt(24, { random: 1 })],
    [36, 34],
  );
  assert.equal(getLastAttemptAt(24, { provider: "apns" }), 35);
  assert.equal(getLastAttemptAt(24, { provider: "fcm" }), 35);
});

test("a last attempt keeps the delay that a push service asks for", () => {
  // Google always asks for ten seconds, other services only if they name a delay.
  assert.deepEqual(
    [getLastAttemptAt(28, { provider: "fcm" }), getLastAttemptAt(29, { provider: "fcm" })],
    [38, null],
  );
  const busy = { code: "rate_limited" } as const;
  assert.equal(getLastAttemptAt(24, busy), null);
  assert.equal(getLastAttemptAt(24, { ...busy, afterMs: 13_000 }), 37);
  assert.equal(getLastAttemptAt(24, { ...busy, afterMs: 15_000 }), null);
  assert.equal(getLastAttemptAt(24, { afterMs: 3_600_000 }), null);
});

test("a failed last attempt is followed by no other, for every jitter", () => {
  const seconds = Array.from({ length: 40 }, (_, second) => second);
  const cases = PROVIDERS.flatMap((provider) =>
    (["transient", "unreachable", "ambiguous", "suspect"] as const).flatMap((code) =>
      [0, 0.5, 0.999].map((random) => ({ provider, code, random })),
    ),
  );
  for (const { random, ...failed } of cases) {
    const lastAttempts = seconds.map((now) => ({
      now,
      last: getLastAttemptAt(now, { ...failed, random }),
    }));
    const attempts = lastAttempts.filter((one) => one.last !== null);
    assert.ok(attempts.length > 20);
    for (const { now, last } of attempts) {
      assert.ok(last !== null && last >= now + 5 && last <= 38, `${now} s: ${last}`);
      assert.equal(getLastAttemptAt(last, { ...failed, random: 0.999 - random }), null);
    }
  }
});
