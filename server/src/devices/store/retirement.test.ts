import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { insertAccount, insertDevice, testContext } from "../../../test/support/room.ts";
import { addressHashOf } from "../address.ts";
import { createGroup } from "../groups/save.ts";
import { findGroup } from "../groups/store.ts";
import { findDevice } from "./devices.ts";
import { removeDevice, retireGone } from "./retirement.ts";

async function setUp(test: TestContext) {
  const context = await testContext(test);
  const accountId = await insertAccount(context);
  const add = async (token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const input = { accountId, platform: "android", address, name: token } as const;
    const device = await insertDevice(context, input);
    assert.ok(device);
    return device;
  };
  const row = (deviceId: string) =>
    context.database.db
      .selectFrom("device")
      .select(["address", "retired_at", "retired_reason"])
      .where("id", "=", deviceId)
      .executeTakeFirst();
  return { context, accountId, add, row };
}

test("a removed device keeps its row for the log, without its address", async (test) => {
  const { context, accountId, add, row } = await setUp(test);
  const { id: deviceId } = await add("secret");
  assert.equal(await removeDevice(context, { actor: OPERATOR, accountId, deviceId }), true);
  assert.deepEqual(
    { ...(await row(deviceId)) },
    {
      address: "{}",
      retired_at: context.now(),
      retired_reason: "removed",
    },
  );
  assert.equal(await removeDevice(context, { actor: OPERATOR, accountId, deviceId }), false);
});

test("another account cannot remove a device, and its groups keep it", async (test) => {
  const { context, accountId, add } = await setUp(test);
  const { id: deviceId } = await add("a");
  const { id: groupId } = await createGroup(context, {
    accountId,
    name: "g",
    deviceIds: [deviceId],
  });
  const other = await insertAccount(context, { email: "bob@example.org" });
  assert.equal(await removeDevice(context, { actor: OPERATOR, accountId: other, deviceId }), false);
  assert.notEqual(await findDevice(context, { accountId, deviceId }), null);
  assert.deepEqual((await findGroup(context, { accountId, groupId }))?.deviceIds, [deviceId]);
});

test("a device that is gone leaves its groups, and other devices stay", async (test) => {
  const { context, accountId, add, row } = await setUp(test);
  const [gone, remaining] = [await add("a"), await add("b")];
  const deviceIds = [gone.id, remaining.id];
  const { id: groupId } = await createGroup(context, { accountId, name: "g", deviceIds });
  const common = { reason: "device_gone", notificationId: "n", asOf: gone.registeredAt };
  const report = { ...common, accountId, deviceId: gone.id };
  assert.equal(await retireGone(context, report), true);
  assert.equal((await row(gone.id))?.retired_reason, "device_gone");
  const members = await context.database.db
    .selectFrom("device_group_member")
    .select("device_id")
    .where("group_id", "=", groupId)
    .execute();
  assert.deepEqual(
    members.map((member) => member.device_id),
    [remaining.id],
  );
});

test("a device is retired once, and only for its current address", async (test) => {
  const { context, accountId, add } = await setUp(test);
  const { id: deviceId, address, registeredAt: asOf } = await add("a");
  const report = { accountId, deviceId, asOf, reason: "device_gone", notificationId: "n" };
  const other = addressHashOf({ provider: "fcm", kind: "token", token: "other" });
  assert.equal(await retireGone(context, { ...report, addressHash: other }), false);
  assert.equal(await retireGone(context, { ...report, asOf: asOf - 1 }), false);
  assert.equal(await retireGone(context, { ...report, addressHash: addressHashOf(address) }), true);
  assert.equal(await retireGone(context, report), false);
});

test("the audit log records a retired device once, with the server as the actor", async (test) => {
  const { context, accountId, add } = await setUp(test);
  const [gone, fresh] = [await add("a"), await add("b")];
  const common = { accountId, reason: "device_gone", notificationId: "n" };
  const reports = [
    { ...common, deviceId: fresh.id, asOf: fresh.registeredAt - 1 },
    { ...common, deviceId: gone.id, asOf: gone.registeredAt },
    { ...common, deviceId: gone.id, asOf: gone.registeredAt },
  ];
  const retired = await Promise.all(reports.map((report) => retireGone(context, report)));
  assert.equal(retired.filter(Boolean).length, 1);
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
        subject_id: gone.id,
        changes: [{ name: "code", before: null, after: "device_gone" }],
      },
    ],
  );
});
