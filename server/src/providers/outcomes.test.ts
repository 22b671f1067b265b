import assert from "node:assert/strict";
import { test } from "node:test";
import type { MismatchCause } from "./mismatch-classifier.ts";
import { createOutcomeFactories, type ReceivedResponse } from "./outcomes.ts";

const { toMismatched, toThrottled } = createOutcomeFactories<ReceivedResponse>(
  ({ status }, code) => ({
    code,
    detail: String(status),
  }),
);
const RESPONSE: ReceivedResponse = { status: 403, headers: {}, requestedAt: 7, now: 9 };

test("a mismatch is refused, gone or retried, depending on its cause", () => {
  const createOutcome = (cause: MismatchCause) =>
    toMismatched({ ...RESPONSE, classifyMismatch: () => cause });
  const reason = { code: "provider_misconfigured", detail: "403" };
  // Only this device is held: a single mismatch does not prove that the settings are wrong.
  assert.deepEqual(createOutcome("settings"), {
    kind: "refused",
    reason,
    mayConcernOnlyDevice: true,
  });
  assert.deepEqual(createOutcome("device"), {
    kind: "gone",
    goneAt: 7,
    reason: { code: "device_invalid", detail: "403" },
  });
  assert.deepEqual(createOutcome("unclear"), {
    kind: "retry",
    reason,
    afterMs: 3_600_000,
    isCounted: true,
  });
});

test("an outcome keeps the wait that the response asks for", () => {
  const headers = { "retry-after": "30" };
  const reason = { code: "rate_limited", detail: "403" };
  const outcome = { kind: "retry", reason, isCounted: true };
  assert.deepEqual(toThrottled(RESPONSE), { ...outcome, afterMs: null });
  assert.deepEqual(toThrottled({ ...RESPONSE, headers }), { ...outcome, afterMs: 30_000 });
});
