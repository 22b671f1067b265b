import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, insertDevice, createRoomContext } from "../../../test/support/context.ts";
import { hashAddress } from "../address.ts";
import { createGroup } from "../groups/create.ts";
import { findGroup } from "../groups/store.ts";
import { findDevice } from "./devices.ts";
import { removeDevice, retireGoneDevice } from "./retirement.ts";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const addDevice = async (token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const input = { accountId, platform: "android", address, name: token } as const;
    const device = await insertDevice(context, input);
    assert.ok(device);
    return device;
  };
  const readDeviceRow = (deviceId: string) =>
    context.database.db
      .selectFrom("device")
      .select(["address", "retired_at", "retired_reason"])
      .where("id", "=", deviceId)
      .executeTakeFirst();
  return { context, accountId, addDevice, readDeviceRow };
}

test("a removed device keeps its row for the log, without its address", async (t) => {
  const { context, accountId, addDevice, readDeviceRow } = await setUp(t);
  const { id: deviceId } = await addDevice("secret");
  assert.equal(await removeDevice(context, { actor: OPERATOR, accountId, deviceId }), true);
  assert.deepEqual(
    { ...(await readDeviceRow(deviceId)) },
    {
      address: "{}",
      retired_at: context.now(),
      retired_reason: "removed",
    },
  );
  assert.equal(await removeDevice(context, { actor: OPERATOR, accountId, deviceId }), false);
});

test("another account cannot remove a device, which stays in its groups", async (t) => {
  const { context, accountId, addDevice } = await setUp(t);
  const { id: deviceId } = await addDevice("a");
  const { id: groupId } = await createGroup(context, {
    accountId,
    name: "g",
    deviceIds: [deviceId],
  });
  const otherAccountId = await insertAccount(context, { email: "bob@example.org" });
  assert.equal(
    await removeDevice(context, { actor: OPERATOR, accountId: otherAccountId, deviceId }),
    false,
  );
  assert.notEqual(await findDevice(context, { accountId, deviceId }), null);
  assert.deepEqual((await findGroup(context, { accountId, groupId }))?.deviceIds, [deviceId]);
});

test("a device that is gone leaves its groups, and other devices stay", async (t) => {
  const { context, accountId, addDevice, readDeviceRow } = await setUp(t);
  const goneDevice = await addDevice("a");
  const remainingDevice = await addDevice("b");
  const deviceIds = [goneDevice.id, remainingDevice.id];
  const { id: groupId } = await createGroup(context, { accountId, name: "g", deviceIds });
  const baseReport = { reason: "device_gone", notificationId: "n", asOf: goneDevice.registeredAt };
  const report = { ...baseReport, accountId, deviceId: goneDevice.id };
  assert.equal(await retireGoneDevice(context, report), true);
  assert.equal((await readDeviceRow(goneDevice.id))?.retired_reason, "device_gone");
  const members = await context.database.db
    .selectFrom("device_group_member")
    .select("device_id")
    .where("group_id", "=", groupId)
    .execute();
  assert.deepEqual(
    members.map((member) => member.device_id),
    [remainingDevice.id],
  );
});

test("a device is retired once, and only for its current address and registration", async (t) => {
  const { context, accountId, addDevice } = await setUp(t);
  const { id: deviceId, address, registeredAt: asOf } = await addDevice("a");
  const report = { accountId, deviceId, asOf, reason: "device_gone", notificationId: "n" };
  const otherAddressHash = hashAddress({ provider: "fcm", kind: "token", token: "other" });
  assert.equal(
    await retireGoneDevice(context, { ...report, addressHash: otherAddressHash }),
    false,
  );
  assert.equal(await retireGoneDevice(context, { ...report, asOf: asOf - 1 }), false);
  assert.equal(
    await retireGoneDevice(context, { ...report, addressHash: hashAddress(address) }),
    true,
  );
  assert.equal(await retireGoneDevice(context, report), false);
});

test("the audit log records a retired device once, with the server as the actor", async (t) => {
  const { context, accountId, addDevice } = await setUp(t);
  const goneDevice = await addDevice("a");
  const reregisteredDevice = await addDevice("b");
  const baseReport = { accountId, reason: "device_gone", notificationId: "n" };
  const reports = [
    { ...baseReport, deviceId: reregisteredDevice.id, asOf: reregisteredDevice.registeredAt - 1 },
    { ...baseReport, deviceId: goneDevice.id, asOf: goneDevice.registeredAt },
    { ...baseReport, deviceId: goneDevice.id, asOf: goneDevice.registeredAt },
  ];
  const results = await Promise.all(reports.map((report) => retireGoneDevice(context, report)));
  assert.equal(results.filter(Boolean).length, 1);
  const events = await context.database.db
    .selectFrom("audit_event")
    .select(["action", "actor_kind", "account_id", "subject_id", "changes"])
    .where("action", "=", "device_left")
    .execute();
  assert.deepEqual(
    events.map(({ changes, ...event }) => ({ ...event, changes: JSON.parse(changes) as unknown })),
    [
      {
        action: "device_left",
        actor_kind: "server",
        account_id: accountId,
        subject_id: goneDevice.id,
        changes: [{ name: "code", before: null, after: "device_gone" }],
      },
    ],
  );
});
