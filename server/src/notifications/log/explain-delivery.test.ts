import assert from "node:assert/strict";
import test from "node:test";
import { DELIVERY_STATES } from "@tocsin/sdk";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import type { DeliveryResult, PendingDevice } from "#delivery/delivery.ts";
import { countDeliveries, explainPending, explainResult } from "./explain-delivery.ts";

const PHONE_DEVICE = {
  name: "Phone",
  provider: "webpush",
  accountId: "ann",
  client: null,
} as const;
const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

function createPendingDevice(
  code: PendingDevice["code"],
  detail: string | null = null,
): PendingDevice {
  const attempts = code === null ? 0 : 2;
  return {
    deviceId: "d1",
    attempts,
    tries: attempts,
    runAt: AT,
    code,
    detail,
    crashes: 0,
    waitsFor: null,
  };
}

test("an ended delivery is shown with its device, its reason and its time", () => {
  const result: DeliveryResult = {
    deviceId: "d1",
    provider: "webpush",
    state: "gone",
    code: "device_gone",
    detail: null,
    attempts: 1,
    at: AT,
  };
  const lifetime = { createdAt: AT, expiresAt: AT + 90_000 };
  assert.deepEqual(explainResult({ result, device: PHONE_DEVICE }, lifetime), {
    deviceId: "d1",
    deviceName: "Phone",
    provider: "webpush",
    state: "gone",
    code: "device_gone",
    message: "The device is no longer registered. It has been removed.",
    attempts: 1,
    updatedAt: "2026-01-02T03:04:05.000Z",
  });
  assert.equal(explainResult({ result, device: null }, lifetime).deviceName, "Removed device");
});

test("an unfinished delivery is queued, retrying with its next time, or held", async (t) => {
  const context = await createRoomContext(t);
  const notification = createNotification(context, "ann");
  const explain = (pending: PendingDevice) =>
    explainPending({ pending, device: PHONE_DEVICE }, notification);
  const queuedDelivery = explain(createPendingDevice(null));
  assert.deepEqual(
    [queuedDelivery.state, queuedDelivery.code, queuedDelivery.message],
    ["queued", "queued", "The first attempt has not finished yet."],
  );
  const retryingDelivery = explain(createPendingDevice("transient", "503"));
  assert.deepEqual(
    [retryingDelivery.state, retryingDelivery.code, retryingDelivery.attempts],
    ["retrying", "retrying", 2],
  );
  assert.match(retryingDelivery.message ?? "", /Retrying at 2026-01-02T03:04:05\.000Z\./);
  const heldDelivery = explain(createPendingDevice("provider_misconfigured"));
  assert.equal(heldDelivery.state, "held");
  const expiresAt = new Date(notification.expiresAt).toISOString();
  assert.match(
    heldDelivery.message ?? "",
    new RegExp(`credentials were refused\\. The message is kept until ${expiresAt}\\.$`),
  );
});

test("the message of an expired delivery names its lifetime, and the message of a failed one its number of attempts", () => {
  const endedResult = {
    deviceId: "d1",
    provider: "fcm",
    detail: "The push service asked us to slow down.",
    attempts: 8,
    at: AT,
  } as const;
  const explainMessage = (outcome: Pick<DeliveryResult, "state" | "code">, lifetimeMs: number) => {
    const lifetime = { createdAt: AT, expiresAt: AT + lifetimeMs };
    return explainResult({ result: { ...endedResult, ...outcome }, device: null }, lifetime)
      .message;
  };
  const expired = { state: "expired", code: "expired" } as const;
  const problem = "Last problem: The push service asked us to slow down.";
  assert.equal(
    explainMessage(expired, 3_600_000),
    `Not delivered before it expired (1 h). ${problem}`,
  );
  assert.equal(
    explainMessage(expired, 90_000),
    `Not delivered before it expired (90 s). ${problem}`,
  );
  const gaveUp = { state: "failed", code: "gave_up" } as const;
  assert.equal(explainMessage(gaveUp, 1), `Gave up after 8 attempts. ${problem}`);
});

test("counts cover every state, and add up ended and unfinished deliveries", async (t) => {
  const context = await createRoomContext(t);
  const counts = countDeliveries({
    notification: createNotification(context, "ann", { deviceCount: 6 }),
    ended: { accepted: 2, gone: 1 },
    pending: [
      createPendingDevice(null),
      createPendingDevice("transient"),
      createPendingDevice("provider_misconfigured"),
    ],
    hasUnfinished: true,
  });
  const zero = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0]));
  const nonZero = { accepted: 2, gone: 1, queued: 1, retrying: 1, held: 1 };
  assert.deepEqual(counts, { ...zero, ...nonZero });
});
