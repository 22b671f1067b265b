import assert from "node:assert/strict";
import { test } from "node:test";
import { runCheck } from "./check.ts";

test("a check that throws fails, without the error's message", async () => {
  const error = Object.assign(new TypeError("secret"), { code: "E_ODD" });
  const failingRuns = [
    () => Promise.reject(error),
    () => {
      throw error;
    },
  ];
  for (const run of failingRuns) {
    const [finding, ...furtherFindings] = await runCheck({
      subject: "thing",
      timeoutMs: 1_000,
      run,
    });
    assert.deepEqual(furtherFindings, []);
    assert.deepEqual([finding?.subject, finding?.status], ["thing", "fail"]);
    assert.match(finding?.message ?? "", /TypeError E_ODD/);
    assert.doesNotMatch(JSON.stringify(finding), /secret/);
  }
});

test("a check that exceeds its timeout is aborted and fails", async () => {
  let isAborted = false;
  const [finding] = await runCheck({
    subject: "thing",
    timeoutMs: 10,
    run: (signal) => {
      signal.addEventListener("abort", () => (isAborted = true));
      return new Promise(() => {});
    },
  });
  assert.equal(finding?.status, "fail");
  assert.match(finding?.message ?? "", /did not finish within 1 seconds/);
  assert.ok(isAborted);
});
