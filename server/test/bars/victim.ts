import { randomUUID } from "node:crypto";
import type { Context } from "../../src/context.ts";
import { addDevice, signUp, type TestApp } from "../support/app.ts";

/** Somebody who has one of each thing, and does nothing while others ask. */
export interface Victim {
  readonly accountId: string;
  readonly deviceId: string;
  readonly groupId: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly tokenId: string;
}

/** Signs somebody up who has one of each thing. */
export async function createVictim(app: TestApp): Promise<Victim> {
  const { accountId, client } = await signUp(app, "Vera");
  const { device } = await addDevice(app, { client });
  const group = await client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const team = await client.teams.create({ name: "Ops of Vera" });
  await client.teams.invite(team.id, { email: `${randomUUID()}@example.org` });
  const key = await client.keys.create({ kind: "account" });
  const token = await client.accessTokens.create({ label: "phone" });
  return {
    accountId,
    deviceId: device.id,
    groupId: group.id,
    teamId: team.id,
    keyId: key.id,
    tokenId: token.id,
  };
}

/** Returns what somebody would give in a field of this name to reach a thing of the victim's. */
export function idFor(victim: Victim, name: string): string {
  if (/device/i.test(name)) return victim.deviceId;
  if (/group/i.test(name)) return victim.groupId;
  if (/team|invitation/i.test(name)) return victim.teamId;
  if (/key/i.test(name)) return victim.keyId;
  return /token|session/i.test(name) ? victim.tokenId : victim.accountId;
}

/** Returns every row of the database that names a thing of the victim's, by its table, sorted. */
export async function rowsNaming(
  { database }: Context,
  victim: Victim,
): Promise<readonly string[]> {
  const ids = Object.values(victim);
  const tables = await database.db.introspection.getTables();
  const found: string[] = [];
  for (const { name } of tables.filter(({ isView }) => !isView)) {
    // The name is the database's own.
    const rows = await database.db
      .selectFrom(name as never)
      .selectAll()
      .execute();
    const texts = rows.map((row) => `${name} ${JSON.stringify(row)}`);
    found.push(...texts.filter((text) => ids.some((id) => text.includes(id))));
  }
  return found.toSorted();
}
