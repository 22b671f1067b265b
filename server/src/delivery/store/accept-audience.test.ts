import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Audience } from "#devices/audiences/audience.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import { createGroup } from "#devices/groups/save.ts";
import { ON_SQLITE } from "../../../test/support/database.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { insertAccount, insertDevice, createRoomContext } from "../../../test/support/room.ts";
import { createDeliveryStore } from "./create-store.ts";
import type { Idempotency } from "./delivery-store.ts";
import { decodePending } from "./rows.ts";

const KEY: Idempotency = { keyId: "key", keyHash: "hash", contentHash: "content" };

/** Inserts an account with two devices, another with one, a team of both, and a group of one device. */
async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const { db } = context.database;
  const ann = await insertAccount(context, { email: "ann@example.org" });
  const bob = await insertAccount(context, { email: "bob@example.org" });
  const add = async (accountId: string, token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const device = { accountId, platform: "android", address, name: token } as const;
    return (await insertDevice(context, device))?.id ?? "";
  };
  const first = await add(ann, "first");
  await add(ann, "second");
  await add(bob, "third");
  const group = { accountId: ann, name: "Mine", deviceIds: [first] };
  const { id: groupId } = await createGroup(context, group);
  const teamId = context.newId();
  await db.insertInto("team").values({ id: teamId, name: "Team", created_at: 0 }).execute();
  const member = { team_id: teamId, role: "member", joined_at: 0, left_at: null } as const;
  const members = [ann, bob].map((id) => ({ id: context.newId(), account_id: id, ...member }));
  await db.insertInto("team_member").values(members).execute();
  const audiences: Readonly<Record<Audience["kind"], Audience>> = {
    account: { kind: "account", accountId: ann },
    team: { kind: "team", teamId },
    group: { kind: "group", accountId: ann, groupId },
    device: { kind: "device", accountId: ann, deviceId: first },
  };
  return { context, db, audiences };
}

async function startStore(t: TestContext) {
  const { context, db, audiences } = await setUp(t);
  const store = createDeliveryStore(context, "node");
  const accept = async (
    audience: Audience,
    { max = 99, idempotency = null }: { max?: number; idempotency?: Idempotency | null } = {},
  ) => {
    const notification = createNotification(context, "", { audience, deviceCount: null });
    const work = { kind: "audience", max } as const;
    const request = { notification, lane: 0, work, idempotency, takeLease: true } as const;
    const [result] = await store.accept([request]);
    return { id: notification.id, result };
  };
  const readRows = async () => ({
    notifications: await db.selectFrom("notification").select(["id", "device_count"]).execute(),
    jobs: await db.selectFrom("send_job").select(["notification_id", "pending"]).execute(),
    keys: await db.selectFrom("idempotency").select("notification_id").execute(),
  });
  return { context, audiences, accept, readRows };
}

for (const [kind, count] of [
  ["account", 2],
  ["team", 3],
  ["group", 1],
  ["device", 1],
] as const) {
  test(
    `a commit that reads the devices of an audience (${kind}) stores a job for them`,
    ON_SQLITE,
    async (t) => {
      const { context, audiences, accept, readRows } = await startStore(t);
      const expected = await listAudienceDevices(context, audiences[kind], { limit: 10 });
      const { id, result } = await accept(audiences[kind]);
      assert.ok(result?.kind === "accepted");
      assert.deepEqual(result.targets, expected);
      const deviceIds = expected.map(({ deviceId }) => deviceId);
      assert.equal(deviceIds.length, count);
      const { notifications, jobs } = await readRows();
      assert.deepEqual(notifications, [{ id, device_count: count }]);
      const [job] = jobs;
      const pending = decodePending(job?.pending ?? "[]");
      assert.deepEqual([jobs.length, pending.map(({ deviceId }) => deviceId)], [1, deviceIds]);
      assert.deepEqual(result.job?.work, { kind: "devices", pending });
    },
  );
}

test("an audience without devices gets a notification without a job", ON_SQLITE, async (t) => {
  const { context, accept, readRows } = await startStore(t);
  const accountId = await insertAccount(context, { email: "eve@example.org" });
  const { id, result } = await accept({ kind: "account", accountId });
  assert.deepEqual(result, { kind: "accepted", job: null, targets: [] });
  const { notifications, jobs } = await readRows();
  assert.deepEqual([notifications, jobs], [[{ id, device_count: 0 }], []]);
});

test(
  "an audience with more devices than a commit may read stores nothing, not even its key",
  ON_SQLITE,
  async (t) => {
    const { audiences, accept, readRows } = await startStore(t);
    const { result } = await accept(audiences.team, { max: 2, idempotency: KEY });
    assert.deepEqual(result, { kind: "too_many" });
    assert.deepEqual(await readRows(), { notifications: [], jobs: [], keys: [] });
    const { id } = await accept(audiences.team, { max: 3, idempotency: KEY });
    assert.deepEqual((await readRows()).keys, [{ notification_id: id }]);
  },
);

test(
  "a repeated commit that reads the devices stores nothing, and returns the present ones",
  ON_SQLITE,
  async (t) => {
    const { audiences, accept, readRows } = await startStore(t);
    const { id } = await accept(audiences.account, { idempotency: KEY });
    const { result } = await accept(audiences.account, { idempotency: KEY });
    assert.ok(result?.kind === "replayed");
    assert.deepEqual([result.notificationId, result.targets?.length], [id, 2]);
    const { notifications, jobs } = await readRows();
    assert.deepEqual([notifications.length, jobs.length], [1, 1]);
  },
);
