import assert from "node:assert/strict";
import test from "node:test";
import { createDeviceCharge } from "./charge.ts";

function createLoggedCharge() {
  const charges: number[] = [];
  return { charges, charge: createDeviceCharge((requestCount) => charges.push(requestCount)) };
}

test("each 100 devices cost one further request", () => {
  for (const [deviceCount, cost] of [
    [0, null],
    [99, null],
    [100, 1],
    [199, 1],
    [501, 5],
  ] as const) {
    const { charges, charge } = createLoggedCharge();
    charge(deviceCount);
    assert.deepEqual(charges, cost === null ? [] : [cost], String(deviceCount));
  }
});

test("another attempt with more devices costs only the difference", () => {
  const { charges, charge } = createLoggedCharge();
  for (const deviceCount of [250, 250, 120, 430]) charge(deviceCount);
  assert.deepEqual(charges, [2, 2]);
});

test("a refused charge is charged again", () => {
  let isRefused = true;
  const charges: number[] = [];
  const charge = createDeviceCharge((requestCount) => {
    if (isRefused) throw new Error("The limit is reached.");
    charges.push(requestCount);
  });
  assert.throws(() => charge(300));
  isRefused = false;
  charge(300);
  assert.deepEqual(charges, [3]);
});
