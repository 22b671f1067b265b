import assert from "node:assert/strict";
import { test } from "node:test";
import { createPendingDevices } from "../delivery.ts";
import { RemoteResults } from "./remote-results.ts";
import type { Report } from "./watch.ts";

function createReport(deviceId: string): Report {
  const [pending] = createPendingDevices([deviceId], 0);
  assert.ok(pending !== undefined);
  return { kind: "pending", pending };
}

test("a report that comes before the devices are known counts once they are", () => {
  const results = new RemoteResults();
  const watch = results.watch("notification", null);
  results.addReport("notification", createReport("a"));
  assert.equal(watch.isComplete, false);
  watch.setDevices(["a", "b"]);
  assert.equal(watch.isComplete, false);
  assert.deepEqual(new Set(watch.deviceIds), new Set(["a", "b"]));
  results.addReport("notification", createReport("b"));
  assert.equal(watch.isComplete, true);
});

test("a watch whose devices were all reported before they were known is complete", () => {
  const results = new RemoteResults();
  const watch = results.watch("notification", null);
  results.addReport("notification", createReport("a"));
  watch.setDevices(["a"]);
  assert.equal(watch.isComplete, true);
});
