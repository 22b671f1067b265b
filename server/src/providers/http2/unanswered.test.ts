import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeGivenUp, judgeUnanswered } from "./unanswered.ts";
import type { Unanswered } from "./unanswered.ts";

const host = "fcm.googleapis.com";
const error = new Error("Broken.");

test("a request that was not sent does not count, one that may have arrived does", () => {
  const rows: readonly (readonly [Unanswered, boolean, string, boolean])[] = [
    [{ kind: "unsent", cause: "unreachable", error }, false, "unreachable", false],
    [{ kind: "unsent", cause: "refused", error }, false, "transient", true],
    [{ kind: "unsent", cause: "given up", error }, false, "unreachable", false],
    [{ kind: "unsent", cause: "given up", error }, true, "ambiguous", false],
    [{ kind: "lost", error }, false, "ambiguous", true],
    [{ kind: "lost", error }, true, "ambiguous", true],
  ];
  for (const [silence, isCallerGone, code, counted] of rows) {
    const outcome = judgeUnanswered(silence, { host, isCallerGone });
    const reason = { code, detail: host };
    const isNoSign = silence.kind === "unsent" && silence.cause === "given up";
    const known = { kind: "retry", reason, afterMs: null, counted };
    assert.deepEqual(outcome, isNoSign ? { ...known, isNoSign } : known);
  }
});

test("time that is up before anything was sent is the service's fault, unless the caller left", () => {
  const codeOf = (isCallerGone: boolean) => {
    const outcome = judgeGivenUp({ host, isCallerGone });
    assert.ok(outcome.kind === "retry");
    assert.equal(outcome.counted, false);
    return outcome.reason.code;
  };
  assert.equal(codeOf(true), "ambiguous");
  assert.equal(codeOf(false), "unreachable");
});
