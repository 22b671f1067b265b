import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAbortedOutcome,
  interpretUnanswered,
  type UnansweredHttp2Exchange,
} from "./unanswered.ts";

const host = "fcm.googleapis.com";
const error = new Error("Broken.");

test("an unanswered request counts as an attempt if it may have reached the service", () => {
  const cases: readonly (readonly [
    exchange: UnansweredHttp2Exchange,
    isCallerGone: boolean,
    code: string,
    isCounted: boolean,
  ])[] = [
    [{ kind: "unprocessed", cause: "unreachable", error }, false, "unreachable", false],
    [{ kind: "unprocessed", cause: "refused", error }, false, "transient", true],
    [{ kind: "unprocessed", cause: "aborted", error }, false, "unreachable", false],
    [{ kind: "unprocessed", cause: "aborted", error }, true, "ambiguous", false],
    [{ kind: "lost", error }, false, "ambiguous", true],
    [{ kind: "lost", error }, true, "ambiguous", true],
  ];
  for (const [exchange, isCallerGone, code, isCounted] of cases) {
    const outcome = interpretUnanswered(exchange, { host, isCallerGone });
    const reason = { code, detail: host };
    const isInconclusive = exchange.kind === "unprocessed" && exchange.cause === "aborted";
    const expected = { kind: "retry", reason, afterMs: null, isCounted };
    assert.deepEqual(outcome, isInconclusive ? { ...expected, isInconclusive } : expected);
  }
});

test("a request given up before sending is unreachable, or ambiguous if its caller aborted", () => {
  const getAbortedCode = (isCallerGone: boolean) => {
    const outcome = createAbortedOutcome({ host, isCallerGone });
    assert.ok(outcome.kind === "retry");
    assert.equal(outcome.isCounted, false);
    assert.equal(outcome.isInconclusive, true);
    return outcome.reason.code;
  };
  assert.equal(getAbortedCode(true), "ambiguous");
  assert.equal(getAbortedCode(false), "unreachable");
});
