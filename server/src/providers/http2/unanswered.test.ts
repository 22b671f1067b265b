import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeGivenUp, judgeUnanswered } from "./unanswered.ts";
import type { Unanswered } from "./unanswered.ts";

const host = "fcm.googleapis.com";
const error = new Error("Broken.");

test("a request that may have arrived counts as an attempt", () => {
  const rows: readonly (readonly [Unanswered, boolean, string, boolean])[] = [
    [{ kind: "unsent", cause: "unreachable", error }, false, "unreachable", false],
    [{ kind: "unsent", cause: "refused", error }, false, "transient", true],
    [{ kind: "unsent", cause: "given up", error }, false, "unreachable", false],
    [{ kind: "unsent", cause: "given up", error }, true, "ambiguous", false],
    [{ kind: "lost", error }, false, "ambiguous", true],
    [{ kind: "lost", error }, true, "ambiguous", true],
  ];
  for (const [exchange, isCallerGone, code, counted] of rows) {
    const outcome = judgeUnanswered(exchange, { host, isCallerGone });
    const reason = { code, detail: host };
    const isNoSign = exchange.kind === "unsent" && exchange.cause === "given up";
    const expected = { kind: "retry", reason, afterMs: null, counted };
    assert.deepEqual(outcome, isNoSign ? { ...expected, isNoSign } : expected);
  }
});

test("a timeout before sending blames the service, unless the caller gave up", () => {
  const codeOf = (isCallerGone: boolean) => {
    const outcome = judgeGivenUp({ host, isCallerGone });
    assert.ok(outcome.kind === "retry");
    assert.equal(outcome.counted, false);
    return outcome.reason.code;
  };
  assert.equal(codeOf(true), "ambiguous");
  assert.equal(codeOf(false), "unreachable");
});
