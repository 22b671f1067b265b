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

/** Starts a server, and runs the check of its master key in another environment. */
async function stage(t: TestContext, environment: Readonly<Record<string, string>>) {
  const { dataDir, database } = await startApp(t, { environment });
  const look = (given: Readonly<Record<string, string>>) => {
    const { masterKeys } = readConfig(given);
    return checkMasterKey({ dataDir, database, masterKeys });
  };
  return { dataDir, look };
}

test("a server with the key of its secrets is fine, and without it learns which one is missing", async (t) => {
  const { look } = await stage(t, { TOCSIN_MASTER_KEY: KEY });
  const good = await look({ TOCSIN_MASTER_KEY: KEY });
  assert.deepEqual([good.status, good.mend], ["ok", null]);
  for (const given of [{ TOCSIN_MASTER_KEY: OTHER_KEY }, {}]) {
    const { status, message, mend } = await look(given);
    assert.equal(status, "fail");
    assert.match(message, /sealed with the master key [0-9a-f]{8}, which is not here/);
    assert.match(mend ?? "", /TOCSIN_MASTER_KEY_FILE/);
  }
});

test("the remaining steps of a key change are reported, and its end", async (t) => {
  const { look } = await stage(t, { TOCSIN_MASTER_KEY: KEY });
  const midway = await look({ TOCSIN_MASTER_KEY: OTHER_KEY, TOCSIN_MASTER_KEY_OLD: KEY });
  assert.deepEqual([midway.status, midway.mend], ["warn", "Run: tocsin rewrap"]);
  const after = await look({ TOCSIN_MASTER_KEY: KEY, TOCSIN_MASTER_KEY_OLD: OTHER_KEY });
  assert.equal(after.status, "warn");
  assert.match(after.message, /TOCSIN_MASTER_KEY_OLD is set, and nothing is sealed with that key/);
});

test("a key that other users may read is reported with the command that closes it", async (t) => {
  const file = join(await temporaryFolder(t), "key");
  await writeFile(file, KEY, { mode: 0o640 });
  const environment = { TOCSIN_MASTER_KEY_FILE: file };
  const { look } = await stage(t, environment);
  const open = await look(environment);
  assert.deepEqual([open.status, open.mend], ["warn", `Run: chmod 600 ${file}`]);
  await chmod(file, 0o600);
  const closed = await look(environment);
  assert.equal(closed.status, "ok");
  assert.ok(closed.message.includes(file));
});

test("PostgreSQL without a master key is warned of what a copy reveals", ON_POSTGRES, async (t) => {
  const { look } = await stage(t, {});
  const without = await look({});
  assert.equal(without.status, "warn");
  assert.match(without.message, /no master key: every copy of the database/);
  const withKey = await look({ TOCSIN_MASTER_KEY: KEY });
  assert.deepEqual([withKey.status, withKey.mend], ["warn", "Run: tocsin rewrap"]);
  const masterKeys = { current: null, old: null, file: null };
  const away = { kind: "postgres", url: "postgres://nobody@127.0.0.1:1/none" } as const;
  const unknown = await checkMasterKey({ dataDir: "/nowhere", database: away, masterKeys });
  assert.match(unknown.message, /could not be checked/);
});

test(
  "the key that a server on SQLite created is checked, also if it is damaged or missing",
  ON_SQLITE,
  async (t) => {
    const { dataDir, look } = await stage(t, {});
    const path = join(dataDir, "master-key");
    assert.equal((await look({})).status, "ok");
    await chmod(path, 0o604);
    assert.equal((await look({})).mend, `Run: chmod 600 ${path}`);
    await rename(path, `${path}.kept`);
    assert.equal((await look({})).status, "fail");
    assert.equal((await look({ TOCSIN_MASTER_KEY_FILE: `${path}.kept` })).status, "warn");
    await writeFile(path, "zebra");
    const damaged = await look({});
    assert.match(damaged.message, /is no master key/);
    assert.ok(!JSON.stringify(damaged).includes("zebra"));
  },
);

test("a data folder of the previous version is distinguished from an empty one", async (t) => {
  const dataDir = await temporaryFolder(t);
  const masterKeys = { current: null, old: null, file: null };
  const database = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  const look = () => checkMasterKey({ dataDir, database, masterKeys });
  assert.match((await look()).message, /will be made at the first start/);
  await writeFile(join(dataDir, "session-secret"), "a secret that was there before, of old");
  const before = await look();
  assert.equal(before.status, "warn");
  assert.match(before.mend ?? "", /tocsin rewrap/);
  assert.deepEqual(await readdir(dataDir), ["session-secret"]);
  await mkdir(join(dataDir, "vapid.json"));
  assert.match((await look()).message, /could not be checked/);
});
