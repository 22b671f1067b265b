import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device, LastDelivery } from "@tocsin/sdk";
import { withDelivery } from "./last-delivery.ts";

const EARLY = "2026-01-01T00:00:01.000Z";
const LATE = "2026-01-01T00:00:02.000Z";

function device(id: string, lastDelivery: LastDelivery | null = null): Device {
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

test("a delivery changes the device that it names, and no other", () => {
  const delivery = { deviceId: "b", state: "accepted", updatedAt: LATE } as const;
  const reached = { state: "accepted", at: LATE } as const;
  const before = [device("a"), device("b")];
  assert.deepEqual(withDelivery(before, delivery), [device("a"), device("b", reached)]);
  assert.deepEqual(withDelivery([device("a")], delivery), [device("a")]);
});

test("of two deliveries the later one counts, and of two in one moment what came last", () => {
  const known = [device("a", { state: "queued", at: LATE })];
  const early = { deviceId: "a", state: "accepted", updatedAt: EARLY } as const;
  assert.deepEqual(withDelivery(known, early), known);
  const [now] = withDelivery(known, { ...early, updatedAt: LATE });
  assert.deepEqual(now?.lastDelivery, { state: "accepted", at: LATE });
});
