import assert from "node:assert/strict";
import { test } from "node:test";
import type { MismatchVerdict } from "./mismatch-share.ts";
import { outcomesOf, type AnswerCase } from "./outcomes.ts";

const { mismatched, throttled } = outcomesOf<AnswerCase>(({ status }, code) => ({
  code,
  detail: String(status),
}));
const ANSWER: AnswerCase = { status: 403, headers: {}, askedAt: 7, now: 9 };

test("a device of somebody else is refused, ended or tried again, by what is at fault", () => {
  const outcomeOf = (verdict: MismatchVerdict) =>
    mismatched({ ...ANSWER, judgeMismatch: () => verdict });
  const reason = { code: "provider_misconfigured", detail: "403" };
  // It stops no other device: that one of them is foreign is no proof.
  assert.deepEqual(outcomeOf("settings"), { kind: "refused", reason, mayBeDevice: true });
  assert.deepEqual(outcomeOf("device"), {
    kind: "gone",
    asOf: 7,
    reason: { code: "device_invalid", detail: "403" },
  });
  assert.deepEqual(outcomeOf("unclear"), {
    kind: "retry",
    reason,
    afterMs: 3_600_000,
    counted: true,
  });
});

test("the wait that an answer asks for is kept", () => {
  const headers = { "retry-after": "30" };
  const reason = { code: "rate_limited", detail: "403" };
  const outcome = { kind: "retry", reason, counted: true };
  assert.deepEqual(throttled(ANSWER), { ...outcome, afterMs: null });
  assert.deepEqual(throttled({ ...ANSWER, headers }), { ...outcome, afterMs: 30_000 });
});
