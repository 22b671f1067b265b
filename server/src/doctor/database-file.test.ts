import assert from "node:assert/strict";
import { copyFile, open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { startApp, signUp } from "../../test/support/app.ts";
import { ON_SQLITE } from "../../test/support/database.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkDatabase } from "./database-file.ts";

const NEVER_ABORTED = new AbortController().signal;

test(
  "a database in use is sound and up to date, and the check does not disturb the server",
  ON_SQLITE,
  async (test) => {
    const app = await startApp(test);
    const path = join(app.dataDir, "tocsin.db");
    const ann = await signUp(app, "Ann");
    const writing = Array.from({ length: 20 }, () => ann.client.notify({ title: "a", body: "b" }));
    const [verdict] = await Promise.all([checkDatabase(path, NEVER_ABORTED), ...writing]);
    assert.deepEqual(verdict, {
      status: "ok",
      message: `${path} is sound and up to date.`,
      mend: null,
    });
  },
);

test("a missing database is not created", ON_SQLITE, async (test) => {
  const folder = await temporaryFolder(test);
  const verdict = await checkDatabase(join(folder, "tocsin.db"), NEVER_ABORTED);
  assert.equal(verdict.status, "ok");
  assert.match(verdict.message, /will be made at the first start/);
  assert.deepEqual(await readdir(folder), []);
});

test(
  "pending migrations are reported, and so are migrations of a later version",
  ON_SQLITE,
  async (test) => {
    const path = await copyUsedDatabase(test);
    executeOn(path, "delete from kysely_migration where name like '0006%'");
    const earlier = await checkDatabase(path, NEVER_ABORTED);
    assert.equal(earlier.status, "ok");
    assert.match(earlier.message, /next start brings it up to date \(0006/);
    executeOn(path, "insert into kysely_migration values ('9999-later', '2030-01-01')");
    const later = await checkDatabase(path, NEVER_ABORTED);
    assert.equal(later.status, "warn");
    assert.match(later.message, /later version/);
    executeOn(path, "insert into kysely_migration values ('9999-less.needs-9998', '2030-01-01')");
    assert.equal((await checkDatabase(path, NEVER_ABORTED)).status, "fail");
  },
);

test("a database with damaged pages and a text file both fail", ON_SQLITE, async (test) => {
  const path = await copyUsedDatabase(test);
  executeOn(path, "pragma journal_mode = delete");
  await overwrite(path, { from: 4_096 * 3, bytes: 4_096 * 6 });
  const damaged = await checkDatabase(path, NEVER_ABORTED);
  assert.equal(damaged.status, "fail");
  assert.match(damaged.message, /is damaged/);
  assert.match(damaged.mend ?? "", /restore a backup/);
  const textFile = join(await temporaryFolder(test), "tocsin.db");
  await writeFile(textFile, "This is no database, however one looks at it. ".repeat(100));
  assert.match((await checkDatabase(textFile, NEVER_ABORTED)).message, /is damaged/);
});

test("a file that cannot be opened is not reported as damaged", ON_SQLITE, async (test) => {
  const verdict = await checkDatabase(await temporaryFolder(test), NEVER_ABORTED);
  assert.equal(verdict.status, "fail");
  assert.match(verdict.message, /cannot be opened \(SQLite error \d+\)/);
});

test("an aborted check is a warning", ON_SQLITE, async (test) => {
  const path = await copyUsedDatabase(test);
  const verdict = await checkDatabase(path, AbortSignal.abort());
  assert.equal(verdict.status, "warn");
  assert.match(verdict.message, /did not finish/);
});

/** Returns a copy of a database that a server created and closed. */
async function copyUsedDatabase(test: TestContext): Promise<string> {
  const { app, dataDir } = await startApp(test);
  await app.stop();
  const path = join(await temporaryFolder(test), "tocsin.db");
  await copyFile(join(dataDir, "tocsin.db"), path);
  return path;
}

function executeOn(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

async function overwrite(path: string, { from, bytes }: { from: number; bytes: number }) {
  await using file = await open(path, "r+");
  await file.write(Buffer.alloc(bytes, 0xa5), 0, bytes, from);
}
