import assert from "node:assert/strict";
import { test } from "node:test";
import { DELIVERY_STATES, type DeliveryCounts, type DeliveryState } from "@tocsin/sdk";
import { areDeliveriesFinished, getPollInterval } from "./poll-interval.ts";

const UNFINISHED_STATES: readonly DeliveryState[] = ["queued", "retrying", "held"];

test("outcomes are polled while the live stream is down, until all of them are final", () => {
  for (const state of DELIVERY_STATES) {
    assert.equal(getPollInterval(true, createCounts(state)), false);
    assert.equal(
      areDeliveriesFinished(createCounts(state)),
      !UNFINISHED_STATES.includes(state),
      state,
    );
    assert.equal(
      getPollInterval(false, createCounts(state)) !== false,
      UNFINISHED_STATES.includes(state),
      state,
    );
  }
});

test("outcomes that are not loaded yet are polled while the live stream is down", () => {
  assert.ok(Number(getPollInterval(false, undefined)) > 0);
  assert.equal(getPollInterval(true, undefined), false);
});

function createCounts(state: DeliveryState): DeliveryCounts {
  const entries = DELIVERY_STATES.map((candidate) => [candidate, candidate === state ? 1 : 0]);
  // The object has an entry for every state.
  return Object.fromEntries(entries) as DeliveryCounts;
}
