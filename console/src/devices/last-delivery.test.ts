import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device, LastDelivery } from "@tocsin/sdk";
import { applyLastDelivery } from "./last-delivery.ts";

const EARLY = "2026-01-01T00:00:01.000Z";
const LATE = "2026-01-01T00:00:02.000Z";

function createDevice(id: string, lastDelivery: LastDelivery | null = null): Device {
  return {
    id,
    name: id,
    platform: "web",
    provider: "webpush",
    paused: false,
    createdAt: EARLY,
    registeredAt: EARLY,
    lastDelivery,
    endpointHost: "push.example.org",
  };
}

test("a delivery changes only its device", () => {
  const delivery = { deviceId: "b", state: "accepted", updatedAt: LATE } as const;
  const lastDelivery = { state: "accepted", at: LATE } as const;
  const devices = [createDevice("a"), createDevice("b")];
  assert.deepEqual(applyLastDelivery(devices, delivery), [
    createDevice("a"),
    createDevice("b", lastDelivery),
  ]);
  assert.deepEqual(applyLastDelivery([createDevice("a")], delivery), [createDevice("a")]);
});

test("a delivery that is older than the known one is ignored", () => {
  const devices = [createDevice("a", { state: "queued", at: LATE })];
  const earlyDelivery = { deviceId: "a", state: "accepted", updatedAt: EARLY } as const;
  assert.deepEqual(applyLastDelivery(devices, earlyDelivery), devices);
  const [updatedDevice] = applyLastDelivery(devices, { ...earlyDelivery, updatedAt: LATE });
  assert.deepEqual(updatedDevice?.lastDelivery, { state: "accepted", at: LATE });
});
