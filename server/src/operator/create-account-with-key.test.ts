import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "#database/database.ts";
import { TestClock } from "../../test/support/test-clock.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { createAccountWithKey } from "./create-account-with-key.ts";

test("concurrent creations on a new database all succeed, with one key per account and a private data folder", async (t) => {
  const dataDir = join(await createTemporaryFolder(t), "data");
  const config = {
    dataDir,
    database: { kind: "sqlite", path: join(dataDir, "tocsin.db") },
  } as const;
  const { now } = new TestClock();
  const names = ["ann", "ben", "cid", "dan"];
  const accounts = await Promise.all(
    names.map((name) =>
      createAccountWithKey(
        { config, now },
        { name, email: `${name}@example.org`, password: "correct horse", isAdmin: false },
      ),
    ),
  );
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  const database = openSqlite(config.database.path);
  t.after(() => database.close());
  const keys = await database.db.selectFrom("api_key").select("account_id").execute();
  assert.deepEqual(
    keys.map(({ account_id }) => account_id).toSorted(),
    accounts.map(({ accountId }) => accountId).toSorted(),
  );
});
