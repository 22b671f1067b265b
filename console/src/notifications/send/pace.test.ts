import assert from "node:assert/strict";
import { test } from "node:test";
import { DELIVERY_STATES, type DeliveryCounts, type DeliveryState } from "@tocsin/sdk";
import { isOver, paceOf } from "./pace.ts";

const OPEN: readonly DeliveryState[] = ["queued", "retrying", "held"];

test("a delivery is not asked for where the live stream tells of it, nor once it is over", () => {
  for (const state of DELIVERY_STATES) {
    assert.equal(paceOf(true, one(state)), false);
    assert.equal(isOver(one(state)), !OPEN.includes(state), state);
    assert.equal(paceOf(false, one(state)) !== false, OPEN.includes(state), state);
  }
});

test("without the live stream, what is not known yet is asked for", () => {
  assert.ok(Number(paceOf(false, undefined)) > 0);
  assert.equal(paceOf(true, undefined), false);
});

function one(state: DeliveryState): DeliveryCounts {
  const entries = DELIVERY_STATES.map((each) => [each, each === state ? 1 : 0]);
  // The entries name every state.
  return Object.fromEntries(entries) as DeliveryCounts;
}
