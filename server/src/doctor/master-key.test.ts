import assert from "node:assert/strict";
import { chmod, mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { startApp } from "../../test/support/app.ts";
import { ON_POSTGRES, ON_SQLITE } from "../../test/support/database.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { readConfig } from "#config/config.ts";
import { generateMasterKeyText } from "#secrets/master-key.ts";
import { checkMasterKey } from "./master-key.ts";

const KEY = generateMasterKeyText();
const OTHER_KEY = generateMasterKeyText();

/** Starts a server. `check` checks its master key with other settings. */
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
  const validVerdict = await check({ TOCSIN_MASTER_KEY: KEY });
  assert.deepEqual([validVerdict.status, validVerdict.mend], ["ok", null]);
  for (const settings of [{ TOCSIN_MASTER_KEY: OTHER_KEY }, {}]) {
    const { status, message, mend } = await check(settings);
    assert.equal(status, "fail");
    assert.match(message, /sealed with the master key [0-9a-f]{8}, which is not here/);
    assert.match(mend ?? "", /TOCSIN_MASTER_KEY_FILE/);
  }
});

test("an unfinished key change is a warning with the next step", async (t) => {
  const { check } = await setUp(t, { TOCSIN_MASTER_KEY: KEY });
  const verdictDuringChange = await check({
    TOCSIN_MASTER_KEY: OTHER_KEY,
    TOCSIN_MASTER_KEY_OLD: KEY,
  });
  assert.deepEqual(
    [verdictDuringChange.status, verdictDuringChange.mend],
    ["warn", "Run: tocsin rewrap"],
  );
  const verdictAfter = await check({ TOCSIN_MASTER_KEY: KEY, TOCSIN_MASTER_KEY_OLD: OTHER_KEY });
  assert.equal(verdictAfter.status, "warn");
  assert.match(
    verdictAfter.message,
    /TOCSIN_MASTER_KEY_OLD is set, and nothing is sealed with that key/,
  );
});

test("a key file that other users can read is a warning with a chmod command", async (t) => {
  const file = join(await createTemporaryFolder(t), "key");
  await writeFile(file, KEY, { mode: 0o640 });
  const environment = { TOCSIN_MASTER_KEY_FILE: file };
  const { check } = await setUp(t, environment);
  const readableVerdict = await check(environment);
  assert.deepEqual(
    [readableVerdict.status, readableVerdict.mend],
    ["warn", `Run: chmod 600 ${file}`],
  );
  await chmod(file, 0o600);
  const privateVerdict = await check(environment);
  assert.equal(privateVerdict.status, "ok");
  assert.ok(privateVerdict.message.includes(file));
});

test(
  "on PostgreSQL, a missing master key and unsealed secrets are warnings",
  ON_POSTGRES,
  async (t) => {
    const { check } = await setUp(t, {});
    const withoutKey = await check({});
    assert.equal(withoutKey.status, "warn");
    assert.match(withoutKey.message, /no master key: every copy of the database/);
    const withKey = await check({ TOCSIN_MASTER_KEY: KEY });
    assert.deepEqual([withKey.status, withKey.mend], ["warn", "Run: tocsin rewrap"]);
  },
);

test("the secrets in an unreachable database are not checked", async () => {
  const database = { kind: "postgres", url: "postgres://nobody@127.0.0.1:1/none" } as const;
  const masterKeys = { current: null, old: null, file: null };
  const verdict = await checkMasterKey({ dataDir: "/nowhere", database, masterKeys });
  assert.match(verdict.message, /could not be checked/);
});

test(
  "the key file that the server created on SQLite is checked for access, absence and damage",
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
    const damagedVerdict = await check({});
    assert.match(damagedVerdict.message, /is not a master key/);
    assert.ok(!JSON.stringify(damagedVerdict).includes("zebra"));
  },
);

test("an empty data folder is ok, an unsealed secret in it is a warning, and an unreadable one is not checked", async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const masterKeys = { current: null, old: null, file: null };
  const database = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  const check = () => checkMasterKey({ dataDir, database, masterKeys });
  assert.match((await check()).message, /will be created at the first start/);
  await writeFile(join(dataDir, "session-secret"), "a secret that was there before, of old");
  const unsealedVerdict = await check();
  assert.equal(unsealedVerdict.status, "warn");
  assert.match(unsealedVerdict.mend ?? "", /tocsin rewrap/);
  assert.deepEqual(await readdir(dataDir), ["session-secret"]);
  await mkdir(join(dataDir, "vapid.json"));
  assert.match((await check()).message, /could not be checked/);
});
