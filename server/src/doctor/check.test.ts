import assert from "node:assert/strict";
import { test } from "node:test";
import { perform } from "./check.ts";

test("a check that throws fails, without the error's message", async () => {
  const broken = Object.assign(new TypeError("secret"), { code: "E_ODD" });
  const brokenChecks = [
    () => Promise.reject(broken),
    () => {
      throw broken;
    },
  ];
  for (const run of brokenChecks) {
    const [finding, ...rest] = await perform({ subject: "thing", limitMs: 1_000, run });
    assert.deepEqual(rest, []);
    assert.deepEqual([finding?.subject, finding?.status], ["thing", "fail"]);
    assert.match(finding?.message ?? "", /TypeError E_ODD/);
    assert.doesNotMatch(JSON.stringify(finding), /secret/);
  }
});

test("a check that exceeds its limit is aborted and fails", async () => {
  let isAborted = false;
  const [finding] = await perform({
    subject: "thing",
    limitMs: 10,
    run: (signal) => {
      signal.addEventListener("abort", () => (isAborted = true));
      return new Promise(() => {});
    },
  });
  assert.equal(finding?.status, "fail");
  assert.match(finding?.message ?? "", /did not finish within 1 seconds/);
  assert.ok(isAborted);
});
