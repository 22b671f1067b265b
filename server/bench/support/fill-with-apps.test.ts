import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { hashSecret } from "#apps/secret.ts";
import { findApp, findTopic } from "#apps/store/apps.ts";
import { openSqlite } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { fillWithApps } from "./fill-with-apps.ts";

test("a filled team has members whose apps sign in with their passwords", async (t) => {
  const path = join(await createTemporaryFolder(t), "tocsin.db");
  const database = openSqlite(path);
  t.after(() => database.close());
  await migrate(database);
  await database.db
    .insertInto("team")
    .values({ id: "team", name: "Readers", created_at: 0 })
    .execute();
  const options = { teamId: "team", accountCount: 27, appsPerAccount: 2 };
  const credentials = await fillWithApps({ kind: "sqlite", path }, options);
  const accountIds: string[] = [];
  for (const { password, topic } of credentials) {
    const app = await findApp({ database }, hashSecret(password) ?? "");
    assert.ok(app !== null);
    assert.equal(await findTopic({ database }, app), topic);
    accountIds.push(app.accountId);
  }
  assert.equal(accountIds.length, 54);
  const members = await database.db
    .selectFrom("team_member")
    .select("account_id")
    .where("team_id", "=", "team")
    .execute();
  assert.deepEqual(new Set(members.map((member) => member.account_id)), new Set(accountIds));
});
