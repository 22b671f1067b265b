import { createTopic, createSecret, hashSecret } from "#apps/secret.ts";
import { insertAppQuery, insertSecretQuery } from "#apps/store/apps.ts";
import { openWithLongTimeouts, type DatabaseLocation } from "#database/open.ts";
import type { Database } from "#database/database.ts";
import { hashAddress } from "#devices/address.ts";
import { createIds } from "#ids.ts";

/** A connected app: its password, and its own topic. */
export interface AppCredential {
  readonly password: string;
  readonly topic: string;
}

/** The team that the new accounts join, the number of accounts, and the number of apps of each. */
export interface AppFillOptions {
  readonly teamId: string;
  readonly accountCount: number;
  readonly appsPerAccount: number;
}

/** Accounts in one commit. Statements have a limit of values. */
const ACCOUNTS_PER_COMMIT = 25;

/**
 * Adds members with apps of ntfy to a team, directly in a server's database: the API would hash a password for each
 * account. Returns the apps.
 */
export async function fillWithApps(
  location: DatabaseLocation,
  { teamId, accountCount, appsPerAccount }: AppFillOptions,
): Promise<readonly AppCredential[]> {
  const database = openWithLongTimeouts(location);
  const newId = createIds(Date.now);
  const apps: AppCredential[] = [];
  for (let count = 0; count < accountCount; count += ACCOUNTS_PER_COMMIT) {
    const length = Math.min(ACCOUNTS_PER_COMMIT, accountCount - count);
    const accountIds = Array.from({ length }, newId);
    const added = accountIds.flatMap((accountId) =>
      Array.from({ length: appsPerAccount }, () => createApp(accountId, newId)),
    );
    await database.atomically([
      ...insertMembersQueries(database, { teamId, accountIds, newId }),
      ...insertAppsQueries(database, added),
    ]);
    apps.push(...added);
  }
  await database.close();
  return apps.map(({ password, topic }) => ({ password, topic }));
}

interface NewApp extends AppCredential {
  readonly deviceId: string;
  readonly accountId: string;
  readonly secretId: string;
}

function createApp(accountId: string, newId: () => string): NewApp {
  return {
    deviceId: newId(),
    accountId,
    secretId: newId(),
    password: createSecret("password"),
    topic: createTopic(),
  };
}

function insertMembersQueries(
  { db }: Database,
  {
    teamId,
    accountIds,
    newId,
  }: { teamId: string; accountIds: readonly string[]; newId: () => string },
) {
  const now = new Date();
  const accounts = accountIds.map((id) => ({
    id,
    name: "Reader",
    email: `${id}@example.org`,
    email_verified: 1,
    image: null,
    is_admin: 0,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  }));
  const members = accountIds.map((accountId) => ({
    id: newId(),
    team_id: teamId,
    account_id: accountId,
    role: "member" as const,
    joined_at: now.getTime(),
    left_at: null,
  }));
  return [db.insertInto("account").values(accounts), db.insertInto("team_member").values(members)];
}

function insertAppsQueries(database: Database, apps: readonly NewApp[]) {
  const now = Date.now();
  const context = { database, now: () => now };
  return [
    database.db.insertInto("device").values(apps.map((app) => toDeviceRow(app, now))),
    ...apps.map((app) => insertAppQuery(context, { ...app, client: "ntfy" })),
    ...apps.map(({ secretId: id, deviceId, accountId, password }) =>
      insertSecretQuery(context, {
        id,
        deviceId,
        accountId,
        kind: "password",
        secretHash: hashSecret(password) ?? "",
        label: null,
      }),
    ),
  ];
}

function toDeviceRow({ deviceId, accountId }: NewApp, now: number) {
  const address = { provider: "stream", client: "ntfy", deviceId } as const;
  return {
    id: deviceId,
    account_id: accountId,
    name: "Phone",
    platform: "android" as const,
    provider: address.provider,
    address: JSON.stringify(address),
    address_hash: hashAddress(address),
    created_at: now,
    registered_at: now,
    paused_at: null,
    suspect_at: null,
    retired_at: null,
    retired_reason: null,
    last_state: null,
    last_state_at: null,
    action_key_hash: null,
    action_key_at: null,
  };
}
