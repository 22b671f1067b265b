import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import type { Context } from "#context.ts";
import { ON_POSTGRES } from "../../../../test/support/database.ts";
import { explainOnPostgres, updateStatistics } from "../../../../test/support/query-plans.ts";
import {
  insertAccount,
  insertDevice,
  createRoomContext,
} from "../../../../test/support/context.ts";
import { createGroup } from "../../groups/create.ts";
import type { Audience } from "../audience.ts";
import { listAudienceDevices, parseTargetValues } from "./audience-devices.ts";
import { AUDIENCE_COLUMNS, selectFirstDevicesPerRow } from "./first-devices-per-row.ts";

function createQuery(
  { database: { db } }: Context,
  audiences: readonly (Audience | { readonly kind: null })[],
  limit: number,
) {
  const devices = selectFirstDevicesPerRow(db, { table: "row", limit: sql<number>`${limit}` });
  return sql<{
    readonly device_ids: readonly string[] | null;
    readonly devices: readonly (readonly unknown[])[] | null;
  }>`select device_ids, devices
    from json_to_recordset(cast(${JSON.stringify(audiences)} as json)) as "row" (${AUDIENCE_COLUMNS})
    cross join lateral ${devices} as found`;
}

test(
  "each row gets the first devices of its audience, in the order of listAudienceDevices",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    const { db } = context.database;
    const annId = await insertAccount(context, { email: "ann@example.org" });
    const bobId = await insertAccount(context, { email: "bob@example.org" });
    const eveId = await insertAccount(context, { email: "eve@example.org" });
    const addDevice = async (accountId: string, name: string) => {
      const address = { provider: "fcm", kind: "token", token: name } as const;
      const device = { accountId, platform: "android", address, name } as const;
      return (await insertDevice(context, device))?.id ?? "";
    };
    await addDevice(bobId, "first");
    const deviceIds = [await addDevice(annId, "second"), await addDevice(annId, "third")];
    await addDevice(eveId, "of a suspended account");
    await db.updateTable("account").set({ suspended_at: 1 }).where("id", "=", eveId).execute();
    const group = { accountId: annId, name: "Mine", deviceIds: deviceIds.slice(1) };
    const { id: groupId } = await createGroup(context, group);
    const teamId = context.newId();
    await db.insertInto("team").values({ id: teamId, name: "Team", created_at: 0 }).execute();
    const member = { team_id: teamId, role: "member", joined_at: 0, left_at: null } as const;
    const members = [annId, bobId, eveId].map((id) => ({
      id: context.newId(),
      account_id: id,
      ...member,
    }));
    await db.insertInto("team_member").values(members).execute();
    const audiences: readonly Audience[] = [
      { kind: "team", teamId },
      { kind: "account", accountId: annId },
      { kind: "account", accountId: eveId },
      { kind: "group", accountId: annId, groupId },
      { kind: "group", accountId: bobId, groupId },
      { kind: "device", accountId: annId, deviceId: deviceIds[0] ?? "" },
      { kind: "device", accountId: bobId, deviceId: deviceIds[0] ?? "" },
    ];
    for (const limit of [1, 2, 10]) {
      const { rows } = await createQuery(context, [...audiences, { kind: null }], limit).execute(
        db,
      );
      const expected = await Promise.all(
        audiences.map((audience) => listAudienceDevices(context, audience, { limit })),
      );
      assert.deepEqual(
        rows.map(({ devices }) => (devices ?? []).map((values) => parseTargetValues(values))),
        [...expected, []],
      );
      assert.deepEqual(
        rows.map((row) => row.device_ids ?? []),
        [...expected, []].map((targets) => targets.map(({ deviceId }) => deviceId)),
      );
    }
  },
);

test("the query reads few rows, even for a team with 10,000 devices", ON_POSTGRES, async (t) => {
  const context = await createRoomContext(t);
  const { db } = context.database;
  await sql`insert into team values ('ops', 'Ops', 0)`.execute(db);
  await sql`insert into account (id, name, email, email_verified, is_admin, created_at, updated_at)
    select 'a' || n, 'N', 'a' || n, true, false, now(), now() from generate_series(10000, 19999) n`.execute(
    db,
  );
  await sql`insert into team_member select 'm' || id, 'ops', id, 'member', 0, null from account`.execute(
    db,
  );
  await sql`insert into device (id, account_id, name, platform, provider, address, address_hash, created_at, registered_at)
    select 'd' || id, id, 'N', 'ios', 'apns', '{}', id, 0, 0 from account`.execute(db);
  await updateStatistics(context);
  const audiences: readonly Audience[] = [
    { kind: "team", teamId: "ops" },
    { kind: "account", accountId: "a10001" },
    { kind: "device", accountId: "a10002", deviceId: "da10002" },
    { kind: "group", accountId: "a10003", groupId: "missing" },
  ];
  const plan = await explainOnPostgres(context, [createQuery(context, audiences, 100).compile(db)]);
  for (const { kind, rows, loops, removed, table } of plan) {
    assert.ok((rows + removed) * Math.max(1, loops) <= 500, `${kind} ${table} reads ${rows} rows`);
  }
  const pages = Math.max(...plan.map((step) => step.pages));
  // At most nine pages of the database for each of the 100 devices of the team.
  assert.ok(pages <= 100 * 9, `${pages} pages`);
});
