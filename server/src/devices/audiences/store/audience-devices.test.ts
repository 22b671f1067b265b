import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import { ExplainNode, SelectQueryNode, sql } from "kysely";
import type { Context } from "#context.ts";
import { ON_POSTGRES, ON_SQLITE } from "../../../../test/support/database.ts";
import {
  updateStatistics,
  explainOnPostgres,
  recordQueries,
} from "../../../../test/support/query-plans.ts";
import {
  insertAccount,
  insertDevice,
  createRoomContext,
} from "../../../../test/support/context.ts";
import type { Target } from "../../device.ts";
import { createGroup } from "../../groups/create.ts";
import { removeDevice } from "../../store/retirement.ts";
import { parsePosition, formatPosition, type Audience } from "../audience.ts";
import {
  listAudienceDevices,
  listPositionsInRange,
  listDevicesInRange,
  findDevicesInAudience,
} from "./audience-devices.ts";

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const annId = await insertAccount(context, { email: "ann@example.org" });
  const bobId = await insertAccount(context, { email: "bob@example.org" });
  const addDevice = async (accountId: string, token: string) => {
    const address = { provider: "fcm", kind: "token", token } as const;
    const input = { accountId, platform: "android", address, name: token } as const;
    const device = await insertDevice(context, input);
    assert.ok(device);
    return device.id;
  };
  const listIds = async (audience: Audience) =>
    listDeviceIds(await listAudienceDevices(context, audience, { limit: 1_000 }));
  return { context, annId, bobId, addDevice, listIds };
}

async function insertTeam(context: Context, accountIds: readonly string[]): Promise<string> {
  const id = context.newId();
  const { db } = context.database;
  await db.insertInto("team").values({ id, name: "Team", created_at: 0 }).execute();
  for (const accountId of accountIds) await joinTeam(context, { teamId: id, accountId });
  return id;
}

async function joinTeam(
  { database: { db }, newId, now }: Context,
  { teamId, accountId }: { teamId: string; accountId: string },
): Promise<void> {
  await db
    .insertInto("team_member")
    .values({
      id: newId(),
      team_id: teamId,
      account_id: accountId,
      role: "member",
      joined_at: now(),
      left_at: null,
    })
    .execute();
}

async function leaveTeam(
  { database: { db }, now }: Context,
  { teamId, accountId }: { teamId: string; accountId: string },
): Promise<void> {
  await db
    .updateTable("team_member")
    .set({ left_at: now() })
    .where("team_id", "=", teamId)
    .where("account_id", "=", accountId)
    .execute();
}

function listDeviceIds(targets: readonly Target[]): readonly string[] {
  return targets.map(({ deviceId }) => deviceId);
}

test("an account's audience is its live devices, including paused ones, oldest first", async (t) => {
  const { context, annId, bobId, addDevice, listIds } = await setUp(t);
  const first = await addDevice(annId, "a");
  const removed = await addDevice(annId, "b");
  const last = await addDevice(annId, "c");
  await addDevice(bobId, "a");
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: removed });
  assert.deepEqual(await listIds({ kind: "account", accountId: annId }), [first, last]);
});

test("a target has every field that a delivery needs", async (t) => {
  const { context, annId, addDevice } = await setUp(t);
  const deviceId = await addDevice(annId, "a");
  const audience = { kind: "device", accountId: annId, deviceId } as const;
  const [target] = await listAudienceDevices(context, audience, { limit: 1 });
  assert.deepEqual(target, {
    deviceId,
    accountId: annId,
    provider: "fcm",
    address: { provider: "fcm", kind: "token", token: "a" },
    name: "a",
    registeredAt: context.now(),
    pausedAt: null,
    suspectAt: null,
  });
  assert.deepEqual(parsePosition(formatPosition(target)), { accountId: annId, deviceId });
});

test("a device or group has no audience in another account", async (t) => {
  const { context, annId, bobId, addDevice, listIds } = await setUp(t);
  const deviceId = await addDevice(annId, "a");
  const { id: groupId } = await createGroup(context, {
    accountId: annId,
    name: "g",
    deviceIds: [deviceId],
  });
  assert.deepEqual(await listIds({ kind: "device", accountId: annId, deviceId }), [deviceId]);
  assert.deepEqual(await listIds({ kind: "group", accountId: annId, groupId }), [deviceId]);
  assert.deepEqual(await listIds({ kind: "device", accountId: bobId, deviceId }), []);
  assert.deepEqual(await listIds({ kind: "group", accountId: bobId, groupId }), []);
});

test("a group's audience is its live devices", async (t) => {
  const { context, annId, addDevice, listIds } = await setUp(t);
  const live = await addDevice(annId, "a");
  const removed = await addDevice(annId, "b");
  await addDevice(annId, "c");
  const deviceIds = [live, removed];
  const { id: groupId } = await createGroup(context, { accountId: annId, name: "g", deviceIds });
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: removed });
  assert.deepEqual(await listIds({ kind: "group", accountId: annId, groupId }), [live]);
});

test("a team's audience is the devices of its current members", async (t) => {
  const { context, annId, bobId, addDevice, listIds } = await setUp(t);
  const eveId = await insertAccount(context, { email: "eve@example.org" });
  const annsDeviceId = await addDevice(annId, "a");
  const bobsDeviceId = await addDevice(bobId, "a");
  await addDevice(eveId, "a");
  const teamId = await insertTeam(context, [annId, bobId]);
  await insertTeam(context, [eveId]);
  const audience = { kind: "team", teamId } as const;
  assert.deepEqual(new Set(await listIds(audience)), new Set([annsDeviceId, bobsDeviceId]));
  await leaveTeam(context, { teamId, accountId: bobId });
  assert.deepEqual(await listIds(audience), [annsDeviceId]);
  await joinTeam(context, { teamId, accountId: bobId });
  assert.deepEqual(new Set(await listIds(audience)), new Set([annsDeviceId, bobsDeviceId]));
});

test("devices of current members are targets until they are removed or their owner leaves", async (t) => {
  const { context, annId, bobId, addDevice } = await setUp(t);
  const annsDeviceId = await addDevice(annId, "a");
  const removedDeviceId = await addDevice(annId, "b");
  const bobsDeviceId = await addDevice(bobId, "a");
  const teamId = await insertTeam(context, [annId, bobId]);
  const deviceIds = [bobsDeviceId, removedDeviceId, annsDeviceId, "missing"];
  const listTargetIds = async () =>
    listDeviceIds(await findDevicesInAudience(context, { kind: "team", teamId }, { deviceIds }));
  assert.deepEqual(await listTargetIds(), [annsDeviceId, removedDeviceId, bobsDeviceId]);
  await removeDevice(context, { actor: OPERATOR, accountId: annId, deviceId: removedDeviceId });
  await leaveTeam(context, { teamId, accountId: bobId });
  assert.deepEqual(await listTargetIds(), [annsDeviceId]);
});

test("only the requested devices are targets", async (t) => {
  const { context, annId, addDevice } = await setUp(t);
  const requested = await addDevice(annId, "a");
  await addDevice(annId, "b");
  const audience = { kind: "account", accountId: annId } as const;
  assert.deepEqual(
    listDeviceIds(await findDevicesInAudience(context, audience, { deviceIds: [requested] })),
    [requested],
  );
  assert.deepEqual(await findDevicesInAudience(context, audience, { deviceIds: [] }), []);
});

test("consecutive ranges have no gap and no overlap, for a team and for an account", async (t) => {
  const { context, annId, bobId, addDevice, listIds } = await setUp(t);
  for (const token of ["a", "b", "c"]) {
    await addDevice(bobId, token);
    await addDevice(annId, token);
  }
  const eveId = await insertAccount(context, { email: "eve@example.org" });
  const teamId = await insertTeam(context, [eveId, bobId, annId]);
  for (const audience of [
    { kind: "team", teamId } as const,
    { kind: "account", accountId: annId } as const,
  ]) {
    const expected = await listIds(audience);
    assert.equal(expected.length, audience.kind === "team" ? 6 : 3);
    for (const limit of [1, 2, 3, 4]) {
      const devices: string[] = [];
      for (let after = ""; devices.length <= expected.length;) {
        const page = await listDevicesInRange(context, audience, { after, upTo: null, limit });
        const last = page.at(-1);
        if (last === undefined) break;
        const range = { after, upTo: formatPosition(last), limit: 1_000 };
        assert.deepEqual(await listDevicesInRange(context, audience, range), page);
        const positions = await listPositionsInRange(context, audience, range);
        assert.deepEqual(positions, page.map(formatPosition));
        devices.push(...listDeviceIds(page));
        after = formatPosition(last);
      }
      assert.deepEqual(devices, expected);
    }
  }
});

test("a range can begin at the position of a removed device", async (t) => {
  const { context, annId, bobId, addDevice, listIds } = await setUp(t);
  for (const token of ["a", "b"]) {
    await addDevice(annId, token);
    await addDevice(bobId, token);
  }
  const audience = { kind: "team", teamId: await insertTeam(context, [annId, bobId]) } as const;
  const [, second, third, fourth] = await listAudienceDevices(context, audience, { limit: 4 });
  assert.ok(second && third && fourth);
  await removeDevice(context, {
    actor: OPERATOR,
    accountId: second.accountId,
    deviceId: second.deviceId,
  });
  await leaveTeam(context, { teamId: audience.teamId, accountId: second.accountId });
  const range = { after: formatPosition(second), upTo: null, limit: 4 };
  const remainingDevices = await listDevicesInRange(context, audience, range);
  assert.deepEqual(listDeviceIds(remainingDevices), [third.deviceId, fourth.deviceId]);
  assert.deepEqual(await listIds(audience), [third.deviceId, fourth.deviceId]);
});

test("a range accepts positions, not ids", async (t) => {
  const { context, annId } = await setUp(t);
  const audience = { kind: "account", accountId: annId } as const;
  const range = { after: context.newId(), upTo: null, limit: 1 };
  await assert.rejects(listDevicesInRange(context, audience, range), /positions/);
});

test(
  "a range of a large team is read in the order of the indexes, without sorting",
  ON_SQLITE,
  async (t) => {
    const { context } = await setUp(t);
    const plan: string[] = [];
    const db = context.database.db.withPlugin({
      transformQuery: ({ node }) =>
        SelectQueryNode.is(node)
          ? { ...node, explain: ExplainNode.create(undefined, sql`query plan`.toOperationNode()) }
          : node,
      transformResult: async ({ result }) => {
        plan.push(...result.rows.map((row) => String(row["detail"])));
        return { ...result, rows: [] };
      },
    });
    const explainContext = { ...context, database: { ...context.database, db } };
    const position = formatPosition({ accountId: context.newId(), deviceId: context.newId() });
    const range = { after: position, upTo: position, limit: 500 };
    await listDevicesInRange(explainContext, { kind: "team", teamId: context.newId() }, range);
    assert.match(plan.join("\n"), /^SEARCH team_member USING INDEX team_member_present/);
    // Only suspended accounts are scanned completely, from their own index.
    const otherSteps = plan.filter((line) => line !== "SCAN account USING INDEX account_suspended");
    assert.doesNotMatch(otherSteps.join("\n"), /SCAN|TEMP B-TREE/);
  },
);

test("the query for a range of a large team reads few other rows", ON_POSTGRES, async (t) => {
  const { context, annId } = await setUp(t);
  const { db } = context.database;
  await sql`insert into team values ('ops', 'Ops', 0)`.execute(db);
  await sql`insert into account (id, name, email, email_verified, is_admin, created_at, updated_at)
    select '00000000-0000-7000-8000-0000000' || n, 'N', 'a' || n, true, false, now(), now()
    from generate_series(10000, 19999) n`.execute(db);
  await sql`insert into team_member select 'm' || id, 'ops', id, 'member', 0, null from account
    where id <> ${annId}`.execute(db);
  await sql`insert into device (id, account_id, name, platform, provider, address, address_hash, created_at, registered_at)
    select 'd' || id, id, 'N', 'ios', 'apns', '{}', id, 0, 0 from account`.execute(db);
  await updateStatistics(context);
  const { context: recordedContext, captureQueries } = recordQueries(context);
  const position = (n: number) => {
    const id = `00000000-0000-7000-8000-0000000${n}`;
    return formatPosition({ accountId: id, deviceId: id });
  };
  const range = { after: position(12_000), upTo: position(99_999), limit: 500 };
  const queries = await captureQueries(() =>
    listDevicesInRange(recordedContext, { kind: "team", teamId: "ops" }, range),
  );
  const plan = await explainOnPostgres(context, queries);
  assert.doesNotMatch(plan.map(({ kind }) => kind).join(), /Sort|Hash/);
  const pages = Math.max(...plan.map((step) => step.pages));
  // At most nine pages of the database for each of 500 members: a lookup in two indexes and a table.
  assert.ok(pages <= 500 * 9, `${pages} pages`);
  for (const { kind, rows, removed, table } of plan) {
    if (kind === "Seq Scan") assert.equal(rows + removed, 0, table ?? "");
    assert.ok(rows <= 510, `${kind} ${table} reads ${rows}`);
  }
});
