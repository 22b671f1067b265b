import assert from "node:assert/strict";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { testContext } from "../../test/support/room.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { generateVapidKeys } from "./vapid-keys.ts";
import { keyIdOf } from "#secrets/envelope.ts";
import { MissingKeyError } from "#secrets/key-ring.ts";
import { newMasterKeyText, parseMasterKey } from "#secrets/master-key.ts";
import { DamagedKeyFileError } from "./master-keys.ts";
import { loadSecrets } from "./secrets.ts";

const POSTGRES = { kind: "postgres", url: "postgres://unused/here" } as const;
const NO_KEYS = { current: null, old: null, file: null };
const UNSEALED = { session: "a secret that was there before, of old", vapid: generateVapidKeys() };

function newKeys() {
  return { ...NO_KEYS, current: parseMasterKey(newMasterKeyText()) };
}

async function writeUnsealed(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, "session-secret"), `${UNSEALED.session}\n`);
  await writeFile(join(dataDir, "vapid.json"), JSON.stringify(UNSEALED.vapid));
}

/** Prepares a data folder. On SQLite the secrets are in files, and no table is read. */
async function setUpOnSqlite(t: TestContext) {
  const { database } = await testContext(t);
  const dataDir = await temporaryFolder(t);
  const place = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  const load = (masterKeys = NO_KEYS as Parameters<typeof loadSecrets>[0]["masterKeys"]) =>
    loadSecrets({ database: place, dataDir, masterKeys }, database);
  const read = (name: string) => readFile(join(dataDir, name), "utf8");
  return { dataDir, load, read };
}

test("a new data folder gets sealed secrets that only the owner can read", async (t) => {
  const { dataDir, load, read } = await setUpOnSqlite(t);
  const created = await load();
  assert.equal(created.isSealed, true);
  assert.equal(Buffer.from(created.session, "base64url").byteLength, 32);
  assert.deepEqual(await load(), created);
  assert.deepEqual((await readdir(dataDir)).toSorted(), [
    "master-key",
    "session-secret",
    "vapid.json",
  ]);
  for (const name of await readdir(dataDir)) {
    assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);
  }
  const { id } = parseMasterKey((await read("master-key")).trim());
  for (const name of ["session-secret", "vapid.json"]) {
    const text = await read(name);
    assert.equal(keyIdOf(text), id);
    for (const secret of [created.session, created.vapid.privateKey])
      assert.ok(!text.includes(secret));
  }
});

test("unsealed secrets of an earlier version are used and stay unsealed", async (t) => {
  const { dataDir, load, read } = await setUpOnSqlite(t);
  await writeUnsealed(dataDir);
  const before = [await read("session-secret"), await read("vapid.json")];
  for (const masterKeys of [NO_KEYS, newKeys()]) {
    assert.deepEqual(await load(masterKeys), { ...UNSEALED, isSealed: false });
  }
  assert.deepEqual([await read("session-secret"), await read("vapid.json")], before);
  assert.deepEqual((await readdir(dataDir)).toSorted(), ["session-secret", "vapid.json"]);
});

test("a configured master key is used, and none is created in the folder", async (t) => {
  const { dataDir, load } = await setUpOnSqlite(t);
  const masterKeys = newKeys();
  const created = await load(masterKeys);
  assert.ok(!(await readdir(dataDir)).includes("master-key"));
  await assert.rejects(load(), MissingKeyError);
  assert.ok(!(await readdir(dataDir)).includes("master-key"), "it would open nothing");
  assert.deepEqual(await load({ ...newKeys(), old: masterKeys.current }), created);
});

test("no secret is created next to one that cannot be opened", async (t) => {
  const { dataDir, load } = await setUpOnSqlite(t);
  await load();
  await rm(join(dataDir, "master-key"));
  await rm(join(dataDir, "vapid.json"));
  await assert.rejects(load(), MissingKeyError);
  assert.deepEqual(await readdir(dataDir), ["session-secret"]);
});

test("damaged secrets and keys stop the start and stay unchanged", async (t) => {
  const { dataDir, load, read } = await setUpOnSqlite(t);
  await load();
  await writeFile(join(dataDir, "master-key"), "none");
  await assert.rejects(load(), DamagedKeyFileError);
  assert.equal(await read("master-key"), "none");
  const other = await setUpOnSqlite(t);
  await writeFile(join(other.dataDir, "session-secret"), "");
  await assert.rejects(other.load(), /is damaged/);
  assert.equal(await other.read("session-secret"), "");
});

test(
  "all processes on a database use the same secrets, whatever files their folders contain",
  ON_POSTGRES,
  async (t) => {
    const { database } = await testContext(t);
    const masterKeys = newKeys();
    const folders = await Promise.all([1, 2, 3].map(() => temporaryFolder(t)));
    const load = (dataDir: string) =>
      loadSecrets({ database: POSTGRES, dataDir, masterKeys }, database);
    const [first, ...others] = await Promise.all(folders.map(load));
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(first?.isSealed, true);
    const late = await temporaryFolder(t);
    await writeFile(join(late, "session-secret"), "another secret of enough bytes for all");
    assert.deepEqual(await load(late), first);
    const rows = await database.db.selectFrom("shared_secret").selectAll().execute();
    assert.deepEqual(
      rows.map(({ value }) => keyIdOf(value)),
      [masterKeys.current.id, masterKeys.current.id],
    );
    const without = { database: POSTGRES, dataDir: late, masterKeys: NO_KEYS };
    await assert.rejects(loadSecrets(without, database), MissingKeyError);
  },
);

test("a server that moves to PostgreSQL keeps its secrets", ON_POSTGRES, async (t) => {
  const { database } = await testContext(t);
  const { dataDir, load } = await setUpOnSqlite(t);
  const created = await load();
  const settings = { database: POSTGRES, dataDir, masterKeys: NO_KEYS };
  // Nodes have separate folders, so a folder's key seals nothing for them.
  assert.deepEqual(await loadSecrets(settings, database), { ...created, isSealed: false });
});

test(
  "a node with a master key leaves secrets unsealed for nodes without one",
  ON_POSTGRES,
  async (t) => {
    const { database } = await testContext(t);
    const [dataDir, other] = [await temporaryFolder(t), await temporaryFolder(t)];
    await writeUnsealed(dataDir);
    const read = () =>
      database.db.selectFrom("shared_secret").selectAll().orderBy("name").execute();
    await loadSecrets({ database: POSTGRES, dataDir, masterKeys: NO_KEYS }, database);
    const before = await read();
    const settings = { database: POSTGRES, dataDir: other, masterKeys: newKeys() };
    assert.deepEqual(await loadSecrets(settings, database), { ...UNSEALED, isSealed: false });
    assert.deepEqual(await read(), before);
    // The format that an earlier version reads.
    assert.deepEqual(JSON.parse(before[1]?.value ?? ""), UNSEALED.vapid);
  },
);
