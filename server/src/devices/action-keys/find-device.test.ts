import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { createRoomContext, insertAccount } from "../../../test/support/context.ts";
import { registerDevice } from "../register.ts";
import { removeDevice, retireAllDevicesQuery, retireGoneDevice } from "../store/retirement.ts";
import { hashActionKey } from "./action-key.ts";
import { findDeviceByActionKey } from "./find-device.ts";
import { replaceActionKey } from "./store.ts";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context, { email: "ann@example.org" });
  const deps = { context, notices: null, checkWebPushAddress: () => ({ ok: true }) as const };
  const register = () =>
    registerDevice(deps, {
      accountId,
      actor: OPERATOR,
      name: "Ann's Pixel",
      platform: "android",
      push: { provider: "fcm", token: "of-this-phone" },
    });
  const { device, actionKey } = await register();
  return { context, accountId, deviceId: device.id, actionKey: actionKey ?? "", register };
}

function readActionKeyHash({ database: { db } }: Context, deviceId: string) {
  return db
    .selectFrom("device")
    .select("action_key_hash")
    .where("id", "=", deviceId)
    .executeTakeFirstOrThrow();
}

test("a new device gets a key of 128 bits, and only its hash is stored", async (t) => {
  const { context, accountId, deviceId, actionKey } = await setUp(t);
  assert.equal(Buffer.from(actionKey, "base64url").length, 16);
  const found = await findDeviceByActionKey(context, { deviceId, actionKey });
  assert.deepEqual(found, { accountId, deviceId, platform: "android" });
  const stored = await readActionKeyHash(context, deviceId);
  assert.deepEqual(stored, { action_key_hash: hashActionKey(actionKey) });
});

test("a device that registers again keeps its key and gets no other", async (t) => {
  const { context, deviceId, actionKey, register } = await setUp(t);
  const refreshed = await register();
  assert.deepEqual([refreshed.device.id, refreshed.actionKey], [deviceId, null]);
  assert.ok(await findDeviceByActionKey(context, { deviceId, actionKey }));
});

test("a renewed key replaces the previous one at once, and only the owner may renew it", async (t) => {
  const { context, accountId, deviceId, actionKey } = await setUp(t);
  const renewal = { accountId, deviceId, actionKeyHash: hashActionKey("next"), actor: OPERATOR };
  assert.equal(await replaceActionKey(context, renewal), true);
  assert.equal(await findDeviceByActionKey(context, { deviceId, actionKey }), null);
  assert.ok(await findDeviceByActionKey(context, { deviceId, actionKey: "next" }));
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  assert.equal(await replaceActionKey(context, { ...renewal, accountId: bobId }), false);
});

test("a wrong key, the hash of a key and an unknown device id find nothing", async (t) => {
  const { context, deviceId, actionKey } = await setUp(t);
  for (const credential of [
    { deviceId, actionKey: "" },
    { deviceId, actionKey: `${actionKey}A` },
    { deviceId, actionKey: hashActionKey(actionKey) },
    { deviceId: context.newId(), actionKey },
  ]) {
    assert.equal(await findDeviceByActionKey(context, credential), null);
  }
});

test("no key finds a device that has none", async (t) => {
  const { context, deviceId } = await setUp(t);
  // Devices of an earlier version have no key.
  await context.database.db.updateTable("device").set({ action_key_hash: null }).execute();
  for (const actionKey of ["", "null", "-".repeat(64)]) {
    assert.equal(await findDeviceByActionKey(context, { deviceId, actionKey }), null);
  }
});

test("a key is refused while the owner of its device is suspended", async (t) => {
  const { context, deviceId, actionKey } = await setUp(t);
  const setSuspendedAt = (suspendedAt: number | null) =>
    context.database.db.updateTable("account").set({ suspended_at: suspendedAt }).execute();
  await setSuspendedAt(context.now());
  assert.equal(await findDeviceByActionKey(context, { deviceId, actionKey }), null);
  await setSuspendedAt(null);
  assert.ok(await findDeviceByActionKey(context, { deviceId, actionKey }));
});

const ENDINGS = {
  "its owner removed": (context, { accountId, deviceId }) =>
    removeDevice(context, { accountId, deviceId, actor: OPERATOR }),
  "its push service reported as gone": (context, { accountId, deviceId }) =>
    retireGoneDevice(context, {
      accountId,
      deviceId,
      asOf: context.now(),
      reason: "device_gone",
      notificationId: context.newId(),
    }),
  "was retired with its account": (context, { accountId }) =>
    context.database.atomically([retireAllDevicesQuery(context, accountId)]),
} satisfies Record<
  string,
  (context: Context, device: { accountId: string; deviceId: string }) => Promise<unknown>
>;

for (const [name, end] of Object.entries(ENDINGS)) {
  test(`the key of a device that ${name} is refused, and its hash is deleted`, async (t) => {
    const { context, accountId, deviceId, actionKey } = await setUp(t);
    await end(context, { accountId, deviceId });
    assert.equal(await findDeviceByActionKey(context, { deviceId, actionKey }), null);
    assert.deepEqual(await readActionKeyHash(context, deviceId), { action_key_hash: null });
    const renewal = { accountId, deviceId, actionKeyHash: hashActionKey("next"), actor: OPERATOR };
    assert.equal(await replaceActionKey(context, renewal), false);
  });
}
