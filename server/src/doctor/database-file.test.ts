import assert from "node:assert/strict";
import { copyFile, open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { startApp, signUp } from "../../test/support/app.ts";
import { ON_SQLITE } from "../../test/support/database.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkDatabaseFile } from "./database-file.ts";

const NEVER_ABORTED = new AbortController().signal;
/** The size of a database page, SQLite's default. */
const PAGE_BYTES = 4_096;

test(
  "a database in use is sound and up to date, and the check does not disturb the server",
  ON_SQLITE,
  async (t) => {
    const app = await startApp(t);
    const path = join(app.dataDir, "tocsin.db");
    const ann = await signUp(app, "Ann");
    const writes = Array.from({ length: 20 }, () => ann.client.notify({ title: "a", body: "b" }));
    const [verdict] = await Promise.all([checkDatabaseFile(path, NEVER_ABORTED), ...writes]);
    assert.deepEqual(verdict, {
      status: "ok",
      message: `${path} is sound and up to date.`,
      mend: null,
    });
  },
);

test("a missing database is ok, and is not created", ON_SQLITE, async (t) => {
  const folder = await createTemporaryFolder(t);
  const verdict = await checkDatabaseFile(join(folder, "tocsin.db"), NEVER_ABORTED);
  assert.equal(verdict.status, "ok");
  assert.match(verdict.message, /will be created at the first start/);
  assert.deepEqual(await readdir(folder), []);
});

test(
  "pending migrations are ok, later ones are a warning, and incompatible later ones fail",
  ON_SQLITE,
  async (t) => {
    const path = await copyUsedDatabase(t);
    executeOn(path, "delete from kysely_migration where name like '0006%'");
    const pendingVerdict = await checkDatabaseFile(path, NEVER_ABORTED);
    assert.equal(pendingVerdict.status, "ok");
    assert.match(pendingVerdict.message, /next start brings it up to date \(0006/);
    executeOn(path, "insert into kysely_migration values ('9999-later', '2030-01-01')");
    const laterVerdict = await checkDatabaseFile(path, NEVER_ABORTED);
    assert.equal(laterVerdict.status, "warn");
    assert.match(laterVerdict.message, /later version/);
    executeOn(path, "insert into kysely_migration values ('9999-less.needs-9998', '2030-01-01')");
    assert.equal((await checkDatabaseFile(path, NEVER_ABORTED)).status, "fail");
  },
);

test("a database with damaged pages and a text file both fail", ON_SQLITE, async (t) => {
  const path = await copyUsedDatabase(t);
  executeOn(path, "pragma journal_mode = delete");
  await overwriteBytes(path, { offset: 3 * PAGE_BYTES, byteCount: 6 * PAGE_BYTES });
  const damagedVerdict = await checkDatabaseFile(path, NEVER_ABORTED);
  assert.equal(damagedVerdict.status, "fail");
  assert.match(damagedVerdict.message, /is damaged/);
  assert.match(damagedVerdict.mend ?? "", /restore a backup/);
  const textFile = join(await createTemporaryFolder(t), "tocsin.db");
  await writeFile(
    textFile,
    "This text is not a database. It only has the size of one. ".repeat(100),
  );
  assert.match((await checkDatabaseFile(textFile, NEVER_ABORTED)).message, /is damaged/);
});

test(
  "a folder in place of the file cannot be opened, and is not reported as damaged",
  ON_SQLITE,
  async (t) => {
    const verdict = await checkDatabaseFile(await createTemporaryFolder(t), NEVER_ABORTED);
    assert.equal(verdict.status, "fail");
    assert.match(verdict.message, /cannot be opened \(SQLite error \d+\)/);
  },
);

test("an aborted check is a warning", ON_SQLITE, async (t) => {
  const path = await copyUsedDatabase(t);
  const verdict = await checkDatabaseFile(path, AbortSignal.abort());
  assert.equal(verdict.status, "warn");
  assert.match(verdict.message, /did not finish/);
});

/** Copies a database that a server created and closed, and returns the path of the copy. */
async function copyUsedDatabase(t: TestContext): Promise<string> {
  const { app, dataDir } = await startApp(t);
  await app.stop();
  const path = join(await createTemporaryFolder(t), "tocsin.db");
  await copyFile(join(dataDir, "tocsin.db"), path);
  return path;
}

function executeOn(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

async function overwriteBytes(
  path: string,
  { offset, byteCount }: { readonly offset: number; readonly byteCount: number },
) {
  await using file = await open(path, "r+");
  await file.write(Buffer.alloc(byteCount, 0xa5), 0, byteCount, offset);
}
