import assert from "node:assert/strict";
import { test } from "node:test";
import { createAbortedOutcome, interpretUnanswered } from "./unanswered.ts";
import type { UnansweredHttp2Exchange } from "./unanswered.ts";

const host = "fcm.googleapis.com";
const error = new Error("Broken.");

test("a request that may have arrived counts as an attempt", () => {
  const rows: readonly (readonly [UnansweredHttp2Exchange, boolean, string, boolean])[] = [
    [{ kind: "unprocessed", cause: "unreachable", error }, false, "unreachable", false],
    [{ kind: "unprocessed", cause: "refused", error }, false, "transient", true],
    [{ kind: "unprocessed", cause: "aborted", error }, false, "unreachable", false],
    [{ kind: "unprocessed", cause: "aborted", error }, true, "ambiguous", false],
    [{ kind: "lost", error }, false, "ambiguous", true],
    [{ kind: "lost", error }, true, "ambiguous", true],
  ];
  for (const [exchange, isCallerGone, code, isCounted] of rows) {
    const outcome = interpretUnanswered(exchange, { host, isCallerGone });
    const reason = { code, detail: host };
    const isInconclusive = exchange.kind === "unprocessed" && exchange.cause === "aborted";
    const expected = { kind: "retry", reason, afterMs: null, isCounted };
    assert.deepEqual(outcome, isInconclusive ? { ...expected, isInconclusive } : expected);
  }
});

test("a timeout before sending blames the service, unless the caller aborted", () => {
  const interpretCode = (isCallerGone: boolean) => {
    const outcome = createAbortedOutcome({ host, isCallerGone });
    assert.ok(outcome.kind === "retry");
    assert.equal(outcome.isCounted, false);
    return outcome.reason.code;
  };
  assert.equal(interpretCode(true), "ambiguous");
  assert.equal(interpretCode(false), "unreachable");
});
