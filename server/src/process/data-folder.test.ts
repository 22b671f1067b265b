import assert from "node:assert/strict";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { signUp, startApp } from "../../test/support/app.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { ON_SQLITE } from "../../test/support/database.ts";
import { createBackup } from "#operator/backup.ts";
import { checkDataFolder } from "#doctor/data-folder.ts";

/** Clears the umask, so that files get exactly the requested modes. */
function clearUmask(t: TestContext): void {
  const originalUmask = process.umask(0);
  t.after(() => process.umask(originalUmask));
}

/** Returns the modes of a folder and of everything in it, by name. */
async function readModes(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder);
  const modes = await Promise.all(
    ["", ...names].map(async (name) => {
      const { mode } = await stat(join(folder, name));
      return [name, (mode & 0o777).toString(8)] as const;
    }),
  );
  return Object.fromEntries(modes);
}

/** Fails unless only the owner has access to the folder and to each file. */
async function assertPrivate(folder: string, names: readonly string[]): Promise<void> {
  const { "": folderMode, ...files } = await readModes(folder);
  assert.equal(folderMode, "700");
  for (const name of names) assert.ok(name in files, name);
  assert.deepEqual(
    Object.entries(files).filter(([, mode]) => mode !== "600"),
    [],
  );
}

const LIVE_FILES = ["tocsin.db", "tocsin.db-wal", "tocsin.db-shm", "server.lock", "session-secret"];

test(
  "only the server's user can access its files, regardless of the umask",
  ON_SQLITE,
  async (t) => {
    clearUmask(t);
    const dataDir = join(await createTemporaryFolder(t), "made", "data");
    const app = await startApp(t, { dataDir });
    await signUp(app, "Ann");
    await assertPrivate(dataDir, [...LIVE_FILES, "vapid.json"]);
    const folder = join(await createTemporaryFolder(t), "backup");
    const location = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
    await createBackup(
      { config: { dataDir, database: location }, now: app.app.context.now },
      folder,
    );
    await assertPrivate(folder, ["tocsin.db", "session-secret", "vapid.json"]);
  },
);

test(
  "a starting server removes other users' access to an existing folder and its files",
  ON_SQLITE,
  async (t) => {
    clearUmask(t);
    const dataDir = join(await createTemporaryFolder(t), "data");
    await mkdir(dataDir, { mode: 0o755 });
    const firstApp = await startApp(t, { dataDir });
    await signUp(firstApp, "Ann");
    await firstApp.app.stop();
    for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o644);
    await writeFile(join(dataDir, "notes"), "", { mode: 0o600 });
    assert.match((await checkDataFolder(dataDir)).message, /may read .*tocsin\.db/);
    await chmod(dataDir, 0o755);
    await startApp(t, { dataDir });
    await assertPrivate(dataDir, LIVE_FILES);
    assert.equal((await checkDataFolder(dataDir)).status, "ok");
  },
);
