import assert from "node:assert/strict";
import test from "node:test";
import { createPendingDevices, type DeliveryResult } from "./delivery.ts";
import {
  HISTORY_ATTEMPTS_MAX,
  FIRST_ATTEMPTS_MAX,
  getResultHistory,
  appendAttempt,
  type Attempt,
  type History,
} from "./history.ts";
import { decodePending, encodePending } from "./store/tuples.ts";

function createAttempt(at: number, overrides: Partial<Attempt> = {}): Attempt {
  const reason = { code: "transient", detail: "Apple answered 503" } as const;
  return { kind: "retry", at, ...reason, nextAt: at + 1, ...overrides };
}

function createHistory(count: number): History {
  let history: History = { attempts: [], leftOut: 0 };
  for (let at = 1; at <= count; at += 1) history = appendAttempt(history, createAttempt(at));
  return history;
}

test("a long history keeps the first and the last attempts, and counts the others", () => {
  const { attempts, leftOut } = createHistory(100);
  const last = Array.from(
    { length: HISTORY_ATTEMPTS_MAX - FIRST_ATTEMPTS_MAX },
    (_, index) => 93 + index,
  );
  assert.deepEqual(
    attempts.map(({ at }) => at),
    [1, 2, 3, 4, ...last],
  );
  assert.equal(leftOut, 100 - HISTORY_ATTEMPTS_MAX);
});

test("a hold for the same reason extends the last hold of a history, and one for another reason is added", () => {
  const holdEntry = { kind: "held", code: "provider_misconfigured", detail: null } as const;
  let history = appendAttempt(undefined, createAttempt(1));
  for (let at = 2; at < 50; at += 1) history = appendAttempt(history, createAttempt(at, holdEntry));
  assert.deepEqual(history.attempts, [
    createAttempt(1),
    createAttempt(2, { ...holdEntry, nextAt: 50 }),
  ]);
  const otherHold = appendAttempt(
    history,
    createAttempt(50, { kind: "held", code: "unreachable" }),
  );
  assert.equal(otherHold.attempts.length, 3);
});

test("an omitted hold is not counted as an omitted attempt", () => {
  let history = createHistory(FIRST_ATTEMPTS_MAX);
  history = appendAttempt(history, createAttempt(5, { kind: "held" }));
  for (let at = 6; at < 14; at += 1) history = appendAttempt(history, createAttempt(at));
  assert.equal(history.leftOut, 0);
  assert.equal(appendAttempt(history, createAttempt(14)).leftOut, 1);
});

test("a long detail is cut to 160 characters", () => {
  const { attempts } = appendAttempt(undefined, createAttempt(1, { detail: "x".repeat(100_000) }));
  assert.equal(attempts[0]?.detail?.length, 160);
});

test("a history takes fewer than 100 characters for each attempt, and is read as it was stored", () => {
  const [untried] = createPendingDevices(["d"], 1);
  assert.ok(untried !== undefined);
  const device = { ...untried, history: createHistory(100) };
  const text = encodePending([device]);
  assert.deepEqual(decodePending(text), [device]);
  const historyLength = text.length - encodePending([untried]).length;
  assert.ok(historyLength < 100 * HISTORY_ATTEMPTS_MAX, `${historyLength} characters`);
});

test("a result without a history has one attempt and counts the earlier ones as omitted", () => {
  const result: DeliveryResult = {
    deviceId: "d",
    provider: "apns",
    state: "gone",
    code: "device_gone",
    detail: "Apple answered 410 Unregistered",
    attempts: 3,
    at: 7,
  };
  const { detail } = result;
  const end = { kind: "gone", at: 7, code: "device_gone", detail, nextAt: null };
  assert.deepEqual(getResultHistory(result), { attempts: [end], leftOut: 2 });
  const skipped = { ...result, state: "skipped", code: "paused", attempts: 0 } as const;
  assert.deepEqual(getResultHistory(skipped), { attempts: [], leftOut: 0 });
});
