import assert from "node:assert/strict";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { createRoomContext } from "../../test/support/context.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { generateVapidKeys } from "./vapid-keys.ts";
import { getMasterKeyId } from "#secrets/envelope.ts";
import { MissingKeyError } from "#secrets/key-ring.ts";
import { generateMasterKeyText, parseMasterKey } from "#secrets/master-key.ts";
import { DamagedKeyFileError } from "./load-key-ring.ts";
import { loadSecrets } from "./secrets.ts";

const POSTGRES = { kind: "postgres", url: "postgres://unused/here" } as const;
const NO_KEYS = { current: null, old: null, file: null };
const UNSEALED = { session: "a secret that was there before, of old", vapid: generateVapidKeys() };

function generateKeys() {
  return { ...NO_KEYS, current: parseMasterKey(generateMasterKeyText()) };
}

async function writeUnsealed(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, "session-secret"), `${UNSEALED.session}\n`);
  await writeFile(join(dataDir, "vapid.json"), JSON.stringify(UNSEALED.vapid));
}

/** Prepares a data folder. On SQLite the secrets are in files, and no table is read. */
async function setUpOnSqlite(t: TestContext) {
  const { database } = await createRoomContext(t);
  const dataDir = await createTemporaryFolder(t);
  const location = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  const load = (masterKeys = NO_KEYS as Parameters<typeof loadSecrets>[0]["masterKeys"]) =>
    loadSecrets({ database: location, dataDir, masterKeys }, database);
  const readDataFile = (name: string) => readFile(join(dataDir, name), "utf8");
  return { dataDir, load, readDataFile };
}

test("a new data folder gets sealed secrets that only the owner can read", async (t) => {
  const { dataDir, load, readDataFile } = await setUpOnSqlite(t);
  const createdSecrets = await load();
  assert.equal(createdSecrets.isSealed, true);
  assert.equal(Buffer.from(createdSecrets.session, "base64url").byteLength, 32);
  assert.deepEqual(await load(), createdSecrets);
  assert.deepEqual((await readdir(dataDir)).toSorted(), [
    "master-key",
    "session-secret",
    "vapid.json",
  ]);
  for (const name of await readdir(dataDir)) {
    assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);
  }
  const { id } = parseMasterKey((await readDataFile("master-key")).trim());
  for (const name of ["session-secret", "vapid.json"]) {
    const text = await readDataFile(name);
    assert.equal(getMasterKeyId(text), id);
    for (const secret of [createdSecrets.session, createdSecrets.vapid.privateKey])
      assert.ok(!text.includes(secret));
  }
});

test("unsealed secrets of an earlier version are used and stay unsealed", async (t) => {
  const { dataDir, load, readDataFile } = await setUpOnSqlite(t);
  await writeUnsealed(dataDir);
  const textsBefore = [await readDataFile("session-secret"), await readDataFile("vapid.json")];
  for (const masterKeys of [NO_KEYS, generateKeys()]) {
    assert.deepEqual(await load(masterKeys), { ...UNSEALED, isSealed: false });
  }
  assert.deepEqual(
    [await readDataFile("session-secret"), await readDataFile("vapid.json")],
    textsBefore,
  );
  assert.deepEqual((await readdir(dataDir)).toSorted(), ["session-secret", "vapid.json"]);
});

test("a configured master key is used, and none is created in the folder", async (t) => {
  const { dataDir, load } = await setUpOnSqlite(t);
  const masterKeys = generateKeys();
  const createdSecrets = await load(masterKeys);
  assert.ok(!(await readdir(dataDir)).includes("master-key"));
  await assert.rejects(load(), MissingKeyError);
  assert.ok(!(await readdir(dataDir)).includes("master-key"), "it would open nothing");
  assert.deepEqual(await load({ ...generateKeys(), old: masterKeys.current }), createdSecrets);
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
  const { dataDir, load, readDataFile } = await setUpOnSqlite(t);
  await load();
  await writeFile(join(dataDir, "master-key"), "none");
  await assert.rejects(load(), DamagedKeyFileError);
  assert.equal(await readDataFile("master-key"), "none");
  const otherFolder = await setUpOnSqlite(t);
  await writeFile(join(otherFolder.dataDir, "session-secret"), "");
  await assert.rejects(otherFolder.load(), /is damaged/);
  assert.equal(await otherFolder.readDataFile("session-secret"), "");
});

test(
  "all processes on a database use the same secrets, whatever files their folders contain",
  ON_POSTGRES,
  async (t) => {
    const { database } = await createRoomContext(t);
    const masterKeys = generateKeys();
    const folders = await Promise.all([1, 2, 3].map(() => createTemporaryFolder(t)));
    const load = (dataDir: string) =>
      loadSecrets({ database: POSTGRES, dataDir, masterKeys }, database);
    const [first, ...others] = await Promise.all(folders.map(load));
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(first?.isSealed, true);
    const lateFolder = await createTemporaryFolder(t);
    await writeFile(join(lateFolder, "session-secret"), "another secret of enough bytes for all");
    assert.deepEqual(await load(lateFolder), first);
    const rows = await database.db.selectFrom("shared_secret").selectAll().execute();
    assert.deepEqual(
      rows.map(({ value }) => getMasterKeyId(value)),
      [masterKeys.current.id, masterKeys.current.id],
    );
    const settingsWithoutKey = { database: POSTGRES, dataDir: lateFolder, masterKeys: NO_KEYS };
    await assert.rejects(loadSecrets(settingsWithoutKey, database), MissingKeyError);
  },
);

test("a server that moves to PostgreSQL keeps its secrets", ON_POSTGRES, async (t) => {
  const { database } = await createRoomContext(t);
  const { dataDir, load } = await setUpOnSqlite(t);
  const createdSecrets = await load();
  const settings = { database: POSTGRES, dataDir, masterKeys: NO_KEYS };
  // Nodes have separate folders, so a folder's key seals nothing for them.
  assert.deepEqual(await loadSecrets(settings, database), { ...createdSecrets, isSealed: false });
});

test(
  "a node with a master key leaves secrets unsealed for nodes without one",
  ON_POSTGRES,
  async (t) => {
    const { database } = await createRoomContext(t);
    const dataDir = await createTemporaryFolder(t);
    const otherDataDir = await createTemporaryFolder(t);
    await writeUnsealed(dataDir);
    const readRows = () =>
      database.db.selectFrom("shared_secret").selectAll().orderBy("name").execute();
    await loadSecrets({ database: POSTGRES, dataDir, masterKeys: NO_KEYS }, database);
    const rowsBefore = await readRows();
    const settings = { database: POSTGRES, dataDir: otherDataDir, masterKeys: generateKeys() };
    assert.deepEqual(await loadSecrets(settings, database), { ...UNSEALED, isSealed: false });
    assert.deepEqual(await readRows(), rowsBefore);
    // The format that an earlier version reads.
    assert.deepEqual(JSON.parse(rowsBefore[1]?.value ?? ""), UNSEALED.vapid);
  },
);
