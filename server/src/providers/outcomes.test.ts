import assert from "node:assert/strict";
import { test } from "node:test";
import type { MismatchVerdict } from "./mismatch-share.ts";
import { outcomesOf, type AnswerCase } from "./outcomes.ts";

const { mismatched, throttled } = outcomesOf<AnswerCase>(({ status }, code) => ({
  code,
  detail: String(status),
}));
const ANSWER: AnswerCase = { status: 403, headers: {}, askedAt: 7, now: 9 };

test("a mismatch is refused, gone or retried, depending on its cause", () => {
  const outcomeFor = (verdict: MismatchVerdict) =>
    mismatched({ ...ANSWER, judgeMismatch: () => verdict });
  const reason = { code: "provider_misconfigured", detail: "403" };
  // It stops no other device: a single mismatch does not prove that the settings are wrong.
  assert.deepEqual(outcomeFor("settings"), { kind: "refused", reason, mayBeDevice: true });
  assert.deepEqual(outcomeFor("device"), {
    kind: "gone",
    asOf: 7,
    reason: { code: "device_invalid", detail: "403" },
  });
  assert.deepEqual(outcomeFor("unclear"), {
    kind: "retry",
    reason,
    afterMs: 3_600_000,
    counted: true,
  });
});

test("an outcome keeps the wait that the answer asks for", () => {
  const headers = { "retry-after": "30" };
  const reason = { code: "rate_limited", detail: "403" };
  const outcome = { kind: "retry", reason, counted: true };
  assert.deepEqual(throttled(ANSWER), { ...outcome, afterMs: null });
  assert.deepEqual(throttled({ ...ANSWER, headers }), { ...outcome, afterMs: 30_000 });
});
