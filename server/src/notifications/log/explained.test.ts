import assert from "node:assert/strict";
import test from "node:test";
import { DELIVERY_STATES } from "@tocsin/sdk";
import { notificationTo } from "../../../test/support/notifications.ts";
import { testContext } from "../../../test/support/room.ts";
import type { DeliveryResult, PendingDevice } from "#delivery/delivery.ts";
import { countDeliveries, explainPending, explainResult } from "./explained.ts";

const PHONE = { name: "Phone", provider: "webpush" } as const;
const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

function pendingWith(code: PendingDevice["code"], detail: string | null = null): PendingDevice {
  return { deviceId: "d1", attempts: code === null ? 0 : 2, runAt: AT, code, detail };
}

test("an ended delivery is told with its device, its reason and its moment", () => {
  const result: DeliveryResult = {
    deviceId: "d1",
    provider: "webpush",
    state: "gone",
    code: "device_gone",
    detail: null,
    attempts: 1,
    at: AT,
  };
  assert.deepEqual(explainResult(result, PHONE), {
    deviceId: "d1",
    deviceName: "Phone",
    provider: "webpush",
    state: "gone",
    code: "device_gone",
    message: "The device is no longer registered. It has been removed.",
    attempts: 1,
    updatedAt: "2026-01-02T03:04:05.000Z",
  });
  assert.equal(explainResult(result, null).deviceName, "Removed device");
});

test("an owed delivery is queued, retrying with its next moment, or held", async (t) => {
  const context = await testContext(t);
  const notification = notificationTo(context, "ann");
  const stands = (pending: PendingDevice) =>
    explainPending({ pending, device: PHONE }, notification);
  const queued = stands(pendingWith(null));
  assert.deepEqual(
    [queued.state, queued.code, queued.message],
    ["queued", "queued", "The first attempt has not finished yet."],
  );
  const retrying = stands(pendingWith("transient", "503"));
  assert.deepEqual(
    [retrying.state, retrying.code, retrying.attempts],
    ["retrying", "transient", 2],
  );
  assert.match(retrying.message ?? "", /Retrying at 2026-01-02T03:04:05\.000Z\./);
  assert.equal(stands(pendingWith("provider_misconfigured")).state, "held");
});

test("counts name every state, and add up what ended and what is owed", async (t) => {
  const context = await testContext(t);
  const counts = countDeliveries({
    notification: notificationTo(context, "ann", { deviceCount: 6 }),
    ended: { accepted: 2, gone: 1 },
    pending: [pendingWith(null), pendingWith("transient"), pendingWith("provider_misconfigured")],
    isOwing: true,
  });
  const zero = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0]));
  const known = { accepted: 2, gone: 1, queued: 1, retrying: 1, held: 1 };
  assert.deepEqual(counts, { ...zero, ...known });
});
