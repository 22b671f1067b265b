import assert from "node:assert/strict";
import { test } from "node:test";
import { findRetry, toActRequest } from "./acts.ts";

test("the buttons of an incident are acts; the page has those of a prompt, and unknown ones", () => {
  const press = (action: string, incident: string | null = "0191") =>
    toActRequest({ action, incident });
  assert.deepEqual(press("ack"), { act: "acknowledge", incidentId: "0191" });
  assert.deepEqual(press("pass"), { act: "escalate", incidentId: "0191" });
  assert.deepEqual(press("again"), { act: "ring_again", incidentId: "0191" });
  for (const action of ["", "yes", "constructor"]) assert.equal(press(action), null, action);
  assert.equal(press("ack", null), null);
});

test("a click on the report of a failed act tries it again", () => {
  const retry = { act: "acknowledge", incidentId: "0191" };
  assert.deepEqual(findRetry({ id: "0190", retry }), retry);
  const otherActs = [null, "acknowledge", { act: "read", incidentId: "0191" }, { act: "escalate" }];
  for (const data of [null, "text", {}, ...otherActs.map((act) => ({ retry: act }))]) {
    assert.equal(findRetry(data), null);
  }
});
