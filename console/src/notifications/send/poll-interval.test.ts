import assert from "node:assert/strict";
import { test } from "node:test";
import { DELIVERY_STATES, type DeliveryCounts, type DeliveryState } from "@tocsin/sdk";
import { isFinished, pollIntervalFor } from "./poll-interval.ts";

const OPEN: readonly DeliveryState[] = ["queued", "retrying", "held"];

test("final outcomes are not polled, nor any outcome while the live stream is open", () => {
  for (const state of DELIVERY_STATES) {
    assert.equal(pollIntervalFor(true, countsWith(state)), false);
    assert.equal(isFinished(countsWith(state)), !OPEN.includes(state), state);
    assert.equal(pollIntervalFor(false, countsWith(state)) !== false, OPEN.includes(state), state);
  }
});

test("unknown outcomes are polled without the live stream", () => {
  assert.ok(Number(pollIntervalFor(false, undefined)) > 0);
  assert.equal(pollIntervalFor(true, undefined), false);
});

function countsWith(state: DeliveryState): DeliveryCounts {
  const entries = DELIVERY_STATES.map((candidate) => [candidate, candidate === state ? 1 : 0]);
  // It has an entry for every state.
  return Object.fromEntries(entries) as DeliveryCounts;
}
