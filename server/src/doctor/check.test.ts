import assert from "node:assert/strict";
import { test } from "node:test";
import { perform } from "./check.ts";

test("a check that throws is a failure that reveals nothing of the error's message", async () => {
  const broken = Object.assign(new TypeError("secret"), { code: "E_ODD" });
  const breaking = [
    () => Promise.reject(broken),
    () => {
      throw broken;
    },
  ];
  for (const look of breaking) {
    const [finding, ...rest] = await perform({ subject: "thing", limitMs: 1_000, look });
    assert.deepEqual(rest, []);
    assert.deepEqual([finding?.subject, finding?.status], ["thing", "fail"]);
    assert.match(finding?.message ?? "", /TypeError E_ODD/);
    assert.doesNotMatch(JSON.stringify(finding), /secret/);
  }
});

test("a check that does not finish is given up, and says so", async () => {
  let isTold = false;
  const [finding] = await perform({
    subject: "thing",
    limitMs: 10,
    look: (signal) => {
      signal.addEventListener("abort", () => (isTold = true));
      return new Promise(() => {});
    },
  });
  assert.equal(finding?.status, "fail");
  assert.match(finding?.message ?? "", /did not finish within 1 seconds/);
  assert.ok(isTold);
});
