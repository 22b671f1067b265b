import { randomUUID } from "node:crypto";
import type { Context } from "../../src/context.ts";
import { addDevice, signUp, type TestApp } from "../support/app.ts";

/** The ids of an account and of one resource of each kind. During the attack the account itself makes no request. */
export interface Victim {
  readonly accountId: string;
  readonly deviceId: string;
  readonly groupId: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly tokenId: string;
}

/** Signs up an account and creates one of each resource. */
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

/** Returns the victim's id that an attacker would put into a field of this name. */
export function findVictimId(victim: Victim, name: string): string {
  if (/device/i.test(name)) return victim.deviceId;
  if (/group/i.test(name)) return victim.groupId;
  if (/team|invitation/i.test(name)) return victim.teamId;
  if (/key/i.test(name)) return victim.keyId;
  return /token|session/i.test(name) ? victim.tokenId : victim.accountId;
}

/** Returns every database row that contains an id of the victim, with its table's name, sorted. */
export async function findVictimRows(
  { database }: Context,
  victim: Victim,
): Promise<readonly string[]> {
  const ids = Object.values(victim);
  const tables = await database.db.introspection.getTables();
  const matches: string[] = [];
  for (const { name } of tables.filter(({ isView }) => !isView)) {
    // The name comes from the database itself.
    const rows = await database.db
      .selectFrom(name as never)
      .selectAll()
      .execute();
    const texts = rows.map((row) => `${name} ${JSON.stringify(row)}`);
    matches.push(...texts.filter((text) => ids.some((id) => text.includes(id))));
  }
  return matches.toSorted();
}
