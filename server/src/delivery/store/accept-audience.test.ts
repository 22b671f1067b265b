import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Audience } from "#devices/audiences/audience.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import { createGroup } from "#devices/groups/create.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { insertAccount, insertDevice, createRoomContext } from "../../../test/support/context.ts";
import { createFeedEntryRow } from "#notifications/feed/store.ts";
import { createPendingDevices } from "../delivery.ts";
import { createDeliveryStore } from "./create-store.ts";
import type { AcceptRequest, IdempotencyRecord } from "./delivery-store.ts";
import { decodePending, encodePending } from "./tuples.ts";

const NOTHING_STORED = { notifications: [], jobs: [], entries: [], keys: [] };
const KEY: IdempotencyRecord = { keyId: "key", keyHash: "hash", contentHash: "content" };

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
  // A team's devices are ordered by account, so this one comes last.
  await add(bob, "third");
  await add(ann, "second");
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
  const createRequest = (
    audience: Audience,
    { max = 99, idempotency = null }: { max?: number; idempotency?: IdempotencyRecord | null } = {},
  ): AcceptRequest => {
    const notification = createNotification(context, "", { audience, deviceCount: null });
    const work = { kind: "audience", max } as const;
    const extraRows = [createFeedEntryRow(notification)];
    return { notification, lane: 0, work, idempotency, takeLease: true, extraRows };
  };
  const accept = async (...input: Parameters<typeof createRequest>) => {
    const request = createRequest(...input);
    const [result] = await store.accept([request]);
    return { id: request.notification.id, result };
  };
  const readRows = async () => ({
    notifications: await db.selectFrom("notification").select(["id", "device_count"]).execute(),
    jobs: await db.selectFrom("send_job").select(["notification_id", "pending"]).execute(),
    entries: await db.selectFrom("feed_entry").select("notification_id").execute(),
    keys: await db.selectFrom("idempotency").select("notification_id").execute(),
  });
  return { context, store, audiences, createRequest, accept, readRows };
}

for (const [kind, count] of [
  ["account", 2],
  ["team", 3],
  ["group", 1],
  ["device", 1],
] as const) {
  test(`a commit that reads the devices of an audience (${kind}) stores a job for them`, async (t) => {
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
    const pending = createPendingDevices(deviceIds, 0);
    assert.deepEqual([jobs.length, job?.pending], [1, encodePending(pending)]);
    assert.deepEqual(result.job?.work, { kind: "devices", pending });
  });
}

test("an accepted job has its devices as `encodePending` writes them, whatever their ids", async (t) => {
  const { context, audiences, accept, readRows } = await startStore(t);
  const id = 'a "quoted" \\ id, ä';
  const { db } = context.database;
  await db.updateTable("device").set({ id }).where("name", "=", "third").execute();
  const deviceIds = (await listAudienceDevices(context, audiences.team, { limit: 10 })).map(
    (target) => target.deviceId,
  );
  await accept(audiences.team);
  const [job] = (await readRows()).jobs;
  assert.ok(deviceIds.includes(id));
  assert.equal(job?.pending, encodePending(createPendingDevices(deviceIds, 0)));
});

test("an audience without devices gets a notification without a job", async (t) => {
  const { context, accept, readRows } = await startStore(t);
  const accountId = await insertAccount(context, { email: "eve@example.org" });
  const { id, result } = await accept({ kind: "account", accountId });
  assert.deepEqual(result, { kind: "accepted", job: null, targets: [] });
  const { notifications, jobs } = await readRows();
  assert.deepEqual([notifications, jobs], [[{ id, device_count: 0 }], []]);
});

test("a request whose audience has too many devices stores nothing, not even its key", async (t) => {
  const { audiences, accept, readRows } = await startStore(t);
  const { result } = await accept(audiences.team, { max: 2, idempotency: KEY });
  assert.deepEqual(result, { kind: "too_many" });
  assert.deepEqual(await readRows(), NOTHING_STORED);
  const { id } = await accept(audiences.team, { max: 3, idempotency: KEY });
  assert.deepEqual((await readRows()).keys, [{ notification_id: id }]);
});

test("a replayed request stores nothing, and returns the current devices of its audience", async (t) => {
  const { audiences, accept, readRows } = await startStore(t);
  const { id } = await accept(audiences.account, { idempotency: KEY });
  const { result } = await accept(audiences.account, { idempotency: KEY });
  assert.ok(result?.kind === "replayed");
  assert.deepEqual([result.notificationId, result.targets?.length], [id, 2]);
  const { notifications, jobs } = await readRows();
  assert.deepEqual([notifications.length, jobs.length], [1, 1]);
});

test("each request of a batch is stored or refused on its own", async (t) => {
  const { context, store, audiences, createRequest, readRows } = await startStore(t);
  const earlier = createRequest(audiences.device, { idempotency: KEY });
  await store.accept([earlier]);
  const accountId = await insertAccount(context, { email: "eve@example.org" });
  const pending = createPendingDevices(["given"], 0);
  const requests = [
    createRequest(audiences.team, { max: 2, idempotency: { ...KEY, keyHash: "large" } }),
    createRequest(audiences.account),
    createRequest(audiences.device, { idempotency: KEY }),
    createRequest({ kind: "account", accountId }, { idempotency: { ...KEY, keyHash: "new" } }),
    { ...createRequest(audiences.group), work: { kind: "devices", pending } as const },
    createRequest(audiences.device, { idempotency: { ...KEY, contentHash: "other" } }),
  ];
  const results = await store.accept(requests);
  assert.deepEqual(
    results.map((result) => [result.kind, "targets" in result ? result.targets?.length : null]),
    [
      ["too_many", null],
      ["accepted", 2],
      ["replayed", 1],
      ["accepted", 0],
      ["accepted", undefined],
      ["mismatch", null],
    ],
  );
  const [, byAccount, , withoutDevice, given] = requests.map(({ notification }) => notification.id);
  const stored = [earlier.notification.id, byAccount, withoutDevice, given];
  const { notifications, jobs, entries } = await readRows();
  assert.deepEqual(
    notifications.map(({ id }) => id),
    stored,
  );
  assert.deepEqual(new Set(entries.map((entry) => entry.notification_id)), new Set(stored));
  const pendingIds = jobs.map((job) => [
    job.notification_id,
    decodePending(job.pending ?? "[]").map(({ deviceId }) => deviceId).length,
  ]);
  assert.deepEqual(pendingIds, [
    [earlier.notification.id, 1],
    [byAccount, 2],
    [given, 1],
  ]);
});
