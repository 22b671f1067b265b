import assert from "node:assert/strict";
import { chmod, mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { startApp } from "../../test/support/app.ts";
import { ON_POSTGRES, ON_SQLITE } from "../../test/support/database.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { readConfig } from "#config/config.ts";
import { newMasterKeyText } from "#secrets/master-key.ts";
import { checkMasterKey } from "./master-key.ts";

const KEY = newMasterKeyText();
const OTHER_KEY = newMasterKeyText();

/** Starts a server. `check` checks its master key in another environment. */
async function setUp(t: TestContext, environment: Readonly<Record<string, string>>) {
  const { dataDir, database } = await startApp(t, { environment });
  const check = (settings: Readonly<Record<string, string>>) => {
    const { masterKeys } = readConfig(settings);
    return checkMasterKey({ dataDir, database, masterKeys });
  };
  return { dataDir, check };
}

test("the right master key is ok, and without it the missing key is named", async (t) => {
  const { check } = await setUp(t, { TOCSIN_MASTER_KEY: KEY });
  const valid = await check({ TOCSIN_MASTER_KEY: KEY });
  assert.deepEqual([valid.status, valid.mend], ["ok", null]);
  for (const settings of [{ TOCSIN_MASTER_KEY: OTHER_KEY }, {}]) {
    const { status, message, mend } = await check(settings);
    assert.equal(status, "fail");
    assert.match(message, /sealed with the master key [0-9a-f]{8}, which is not here/);
    assert.match(mend ?? "", /TOCSIN_MASTER_KEY_FILE/);
  }
});

test("an unfinished key change is a warning with the next step", async (t) => {
  const { check } = await setUp(t, { TOCSIN_MASTER_KEY: KEY });
  const midway = await check({ TOCSIN_MASTER_KEY: OTHER_KEY, TOCSIN_MASTER_KEY_OLD: KEY });
  assert.deepEqual([midway.status, midway.mend], ["warn", "Run: tocsin rewrap"]);
  const after = await check({ TOCSIN_MASTER_KEY: KEY, TOCSIN_MASTER_KEY_OLD: OTHER_KEY });
  assert.equal(after.status, "warn");
  assert.match(after.message, /TOCSIN_MASTER_KEY_OLD is set, and nothing is sealed with that key/);
});

test("a key file that other users can read is a warning with a chmod command", async (t) => {
  const file = join(await temporaryFolder(t), "key");
  await writeFile(file, KEY, { mode: 0o640 });
  const environment = { TOCSIN_MASTER_KEY_FILE: file };
  const { check } = await setUp(t, environment);
  const open = await check(environment);
  assert.deepEqual([open.status, open.mend], ["warn", `Run: chmod 600 ${file}`]);
  await chmod(file, 0o600);
  const closed = await check(environment);
  assert.equal(closed.status, "ok");
  assert.ok(closed.message.includes(file));
});

test("PostgreSQL without a master key is a warning", ON_POSTGRES, async (t) => {
  const { check } = await setUp(t, {});
  const withoutKey = await check({});
  assert.equal(withoutKey.status, "warn");
  assert.match(withoutKey.message, /no master key: every copy of the database/);
  const withKey = await check({ TOCSIN_MASTER_KEY: KEY });
  assert.deepEqual([withKey.status, withKey.mend], ["warn", "Run: tocsin rewrap"]);
  const masterKeys = { current: null, old: null, file: null };
  const unreachable = { kind: "postgres", url: "postgres://nobody@127.0.0.1:1/none" } as const;
  const unknown = await checkMasterKey({ dataDir: "/nowhere", database: unreachable, masterKeys });
  assert.match(unknown.message, /could not be checked/);
});

test(
  "on SQLite the created key file is checked for access, absence and damage",
  ON_SQLITE,
  async (t) => {
    const { dataDir, check } = await setUp(t, {});
    const path = join(dataDir, "master-key");
    assert.equal((await check({})).status, "ok");
    await chmod(path, 0o604);
    assert.equal((await check({})).mend, `Run: chmod 600 ${path}`);
    await rename(path, `${path}.kept`);
    assert.equal((await check({})).status, "fail");
    assert.equal((await check({ TOCSIN_MASTER_KEY_FILE: `${path}.kept` })).status, "warn");
    await writeFile(path, "zebra");
    const damaged = await check({});
    assert.match(damaged.message, /is no master key/);
    assert.ok(!JSON.stringify(damaged).includes("zebra"));
  },
);

test("an unsealed data folder is a warning, and an empty one is ok", async (t) => {
  const dataDir = await temporaryFolder(t);
  const masterKeys = { current: null, old: null, file: null };
  const database = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  const check = () => checkMasterKey({ dataDir, database, masterKeys });
  assert.match((await check()).message, /will be made at the first start/);
  await writeFile(join(dataDir, "session-secret"), "a secret that was there before, of old");
  const before = await check();
  assert.equal(before.status, "warn");
  assert.match(before.mend ?? "", /tocsin rewrap/);
  assert.deepEqual(await readdir(dataDir), ["session-secret"]);
  await mkdir(join(dataDir, "vapid.json"));
  assert.match((await check()).message, /could not be checked/);
});
