import assert from "node:assert/strict";
import test from "node:test";
import { addBrowser, startAttempts, tryOnce } from "../../../test/support/attempt-bench.ts";
import type { Outcome } from "#providers/provider.ts";
import { waitState } from "./device-state.ts";

test("a device that is still owed is queued, held or retrying", () => {
  assert.equal(waitState({ code: null }), "queued");
  assert.equal(waitState({ code: "provider_misconfigured" }), "held");
  assert.equal(waitState({ code: "rate_limited" }), "retrying");
});

test("an attempt tells the device's state, and whether its address is doubted", async (t) => {
  const bench = await startAttempts(t);
  const { provider } = bench;
  const device = await addBrowser(bench, "a/1");
  const retry = (code: "suspect" | "transient"): Outcome => {
    return { kind: "retry", reason: { code, detail: null }, afterMs: null, counted: true };
  };
  const outcomes: readonly [Outcome, string, boolean][] = [
    [retry("suspect"), "retrying", true],
    [retry("transient"), "retrying", false],
    [{ kind: "accepted", receipt: null }, "accepted", false],
  ];
  for (const [outcome, state, isSuspect] of outcomes) {
    provider.script("a/1", async () => outcome);
    const tried = await tryOnce(bench, device);
    assert.deepEqual(tried?.deviceState, { deviceId: device, state, isSuspect });
  }
});
