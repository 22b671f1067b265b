import assert from "node:assert/strict";
import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { eventually } from "../../../server/test/support/eventually.ts";
import { startApp } from "../../../server/test/support/app.ts";
import { ON_SQLITE } from "../../../server/test/support/database.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { waitForExit, startTocsin, runTocsin } from "../tocsin.fixture.ts";

test(
  "a server runs on a backup taken under load, with everything accepted before",
  ON_SQLITE,
  async (t) => {
    const { url, dataDir } = await startApp(t);
    const created = await runTocsin(
      ["account", "create", "--email", "ann@example.org", "--name", "Ann", "--json"],
      {
        environment: { TOCSIN_DATA_DIR: dataDir },
        input: "correct horse\n",
      },
    );
    const { key } = JSON.parse(created.stdout);
    const client = createClient({ baseUrl: url, apiKey: key });
    let acceptedCount = 0;
    const loadControl = new AbortController();
    const send = () =>
      client
        .notify({ title: `Number ${acceptedCount}`, body: "" })
        .then(() => (acceptedCount += 1));
    for (let index = 0; index < 50; index += 1) await send();
    const load = (async () => {
      while (!loadControl.signal.aborted) await Promise.all([send(), send(), send()]);
    })();
    const acceptedBefore = acceptedCount;
    const folder = join(await createTemporaryFolder(t), "backup");
    const { code, stdout, stderr } = await runTocsin(["backup", folder, "--json"], {
      environment: { TOCSIN_DATA_DIR: dataDir },
    });
    loadControl.abort();
    await load;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(JSON.parse(stdout).folder, folder);
    assert.match(JSON.parse(stdout).keyId, /^[0-9a-f]{8}$/);
    assert.deepEqual((await readdir(folder)).toSorted(), [
      "session-secret",
      "tocsin.db",
      "vapid.json",
    ]);
    const copy = new DatabaseSync(join(folder, "tocsin.db"), { readOnly: true });
    const row = copy.prepare("select count(*) as count from notification").get();
    const count = Number(row?.["count"]);
    copy.close();
    assert.ok(
      count >= acceptedBefore && count <= acceptedCount,
      `${acceptedBefore} <= ${count} <= ${acceptedCount}`,
    );
    // The master key is not part of the backup.
    const environment = { TOCSIN_MASTER_KEY_FILE: join(dataDir, "master-key") };
    const restored = await startApp(t, { dataDir: folder, environment });
    const restoredClient = createClient({ baseUrl: restored.url, apiKey: key });
    assert.deepEqual((await restoredClient.notify({ title: "Hello", body: "" })).responses, []);
  },
);

test("a failed backup leaves no files behind", async (t) => {
  const folder = await createTemporaryFolder(t);
  const environment = { TOCSIN_DATA_DIR: join(folder, "data") };
  const missing = await runTocsin(["backup", join(folder, "copy")], { environment });
  assert.deepEqual([missing.code, missing.stdout], [1, ""]);
  assert.match(missing.stderr, /There is no database/);
  await runTocsin(["migrate"], { environment });
  const existing = await runTocsin(["backup", folder, "--json"], { environment });
  assert.equal(existing.code, 1);
  assert.equal(JSON.parse(existing.stdout).error.code, "exists");
  assert.equal((await runTocsin(["backup"], { environment })).code, 2);
  assert.deepEqual(await readdir(folder), ["data"]);
});

test("backup prints a pg_dump command without the password for PostgreSQL", async () => {
  const url = "postgres://ann:hunter2@db.example/tocsin";
  const { code, stdout, stderr } = await runTocsin(["backup", "it's"], {
    environment: { TOCSIN_DATABASE_URL: url },
  });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /pg_dump --format=custom --file='.*it'\\''s' 'postgres:\/\/ann@db\.example\/tocsin'/,
  );
  assert.doesNotMatch(stderr, /hunter2/);
});

const DATABASE_SIZE_MB = 300;

/** Creates a database that takes some time to copy, and a folder for its backups. */
async function createLargeDatabase(t: TestContext) {
  const folder = await createTemporaryFolder(t);
  const dataDir = join(folder, "data");
  const environment = { TOCSIN_DATA_DIR: dataDir };
  await runTocsin(["migrate"], { environment });
  const file = new DatabaseSync(join(dataDir, "tocsin.db"));
  file.exec(`create table filler (content blob); begin`);
  const insertMegabyte = file.prepare("insert into filler values (randomblob(1000000))");
  for (let count = 0; count < DATABASE_SIZE_MB; count += 1) insertMegabyte.run();
  file.exec("commit; pragma wal_checkpoint(truncate)");
  file.close();
  const backups = join(folder, "backups");
  await mkdir(backups);
  const listBackups = async () => (await readdir(backups)).toSorted();
  /** Starts a backup, and resolves once it has written part of the copy. */
  const startBackup = async (name: string) => {
    const child = startTocsin(["backup", join(backups, name)], { environment });
    t.after(() => child.kill("SIGKILL"));
    const exited = waitForExit(child);
    await eventually(
      async () => {
        const unfinished = (await listBackups()).find(
          (found) => /^\w+\.\w+\.part$/.test(found) && found.startsWith(name),
        );
        if (unfinished === undefined) return 0;
        const copy = await stat(join(backups, unfinished, "tocsin.db")).catch(() => null);
        return copy?.size ?? 0;
      },
      (size) => size > 0,
    );
    return { child, exited };
  };
  const runBackup = (name: string) => runTocsin(["backup", join(backups, name)], { environment });
  return { backups, startBackup, runBackup, listBackups };
}

test(
  "a stopped backup removes its unfinished copy, and the next backup removes that of a killed one",
  ON_SQLITE,
  async (t) => {
    const { backups, startBackup, runBackup, listBackups } = await createLargeDatabase(t);
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      const { child, exited } = await startBackup("stopped");
      child.kill(signal);
      assert.equal((await exited).code, code);
      assert.deepEqual(await listBackups(), [], signal);
    }
    const { child, exited } = await startBackup("killed");
    child.kill("SIGKILL");
    await exited;
    assert.ok((await listBackups()).some((name) => name.endsWith(".part")));
    // An earlier version, which had no lock, left `oldDraft`. `unrelatedFolder` is only named like a draft.
    const oldDraft = join(backups, "old.0123456789ab.part");
    const unrelatedFolder = join(backups, "foreign.0123456789ab.part");
    for (const [path, name] of [
      [oldDraft, "tocsin.db"],
      [unrelatedFolder, "film"],
    ] as const) {
      await mkdir(path);
      await writeFile(join(path, name), "");
      for (const changed of [join(path, name), path]) await utimes(changed, 0, 0);
    }
    const concurrent = await startBackup("living");
    assert.equal((await runBackup("next")).code, 0);
    const { code } = await concurrent.exited;
    assert.equal(code, 0);
    assert.deepEqual(await listBackups(), ["foreign.0123456789ab.part", "living", "next"]);
  },
);
