import assert from "node:assert/strict";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { startApp } from "../../../server/test/support/app.ts";
import { ON_SQLITE } from "../../../server/test/support/database.ts";
import {
  createDataFolder,
  createTemporaryFolder,
} from "../../../server/test/support/temporary-folder.ts";
import { waitForOutput, startTocsin, runTocsin } from "../tocsin.fixture.ts";

/** Starts and stops a server, and returns its data folder, sealed with its own master key. */
async function createSealedFolder(t: TestContext): Promise<string> {
  const { app, dataDir } = await startApp(t);
  await app.stop();
  return dataDir;
}

test(
  "rewrap changes the master key while the server runs, and the old key is no longer needed",
  ON_SQLITE,
  async (t) => {
    const { app, dataDir } = await startApp(t);
    const before = await readFile(join(dataDir, "session-secret"), "utf8");
    const oldKeyFile = join(await createDataFolder(t), "old-key");
    await rename(join(dataDir, "master-key"), oldKeyFile);
    const environment = { TOCSIN_DATA_DIR: dataDir, TOCSIN_MASTER_KEY_OLD_FILE: oldKeyFile };
    const changed = await runTocsin(["rewrap"], { environment });
    assert.deepEqual(
      [changed.code, changed.stdout.replace(/[0-9a-f]{8}/, "ID")],
      [
        0,
        "Sealed: 2 secrets, 0 mails, 0 callback secrets with the master key ID. No other key is needed any more.\n",
      ],
    );
    assert.match(changed.stderr, /Keep a copy of that key, but not with your backups/);
    assert.notEqual(await readFile(join(dataDir, "session-secret"), "utf8"), before);
    await app.stop();
    await startApp(t, { dataDir });
    const again = await runTocsin(["rewrap", "--json"], {
      environment: { TOCSIN_DATA_DIR: dataDir },
    });
    const lines = again.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(lines.at(0), { phase: "secrets", done: 1, total: 2 });
    const { keyId, ...rest } = lines.at(-1);
    assert.match(keyId, /^[0-9a-f]{8}$/);
    const sealed = { secrets: 0, mails: 0, callbackSecrets: 0 };
    assert.deepEqual(rest, { success: true, ...sealed, mustRestart: false });
  },
);

test(
  "a server without its master key names the missing key, and creates no other",
  ON_SQLITE,
  async (t) => {
    const dataDir = await createSealedFolder(t);
    const movedKeyFile = join(await createDataFolder(t), "kept");
    await rename(join(dataDir, "master-key"), movedKeyFile);
    const environment = { TOCSIN_DATA_DIR: dataDir, TOCSIN_PORT: "0" };
    for (const command of ["serve", "rewrap"]) {
      const { code, stderr } = await runTocsin([command], { environment });
      assert.equal(code, 1);
      assert.match(
        stderr,
        /sealed with the master key [0-9a-f]{8}, which is not here \(none is given\)/,
      );
      assert.match(stderr, /Set TOCSIN_MASTER_KEY_FILE/);
      assert.doesNotMatch(stderr, /\n {4}at /, "no stack");
    }
    assert.ok(!(await readdir(dataDir)).includes("master-key"));
    const server = startTocsin(["serve"], {
      environment: { ...environment, TOCSIN_MASTER_KEY_FILE: movedKeyFile },
    });
    t.after(() => server.kill("SIGKILL"));
    await waitForOutput(server.stdout, "Tocsin listens on");
  },
);

test("an invalid or damaged master key, a missing database, and a server that has never started are reported", async (t) => {
  const environment = { TOCSIN_DATA_DIR: join(await createTemporaryFolder(t), "data") };
  const invalidKey = { ...environment, TOCSIN_MASTER_KEY: "zebra" };
  const { code, stderr } = await runTocsin(["rewrap"], { environment: invalidKey });
  assert.equal(code, 1);
  assert.match(stderr, /TOCSIN_MASTER_KEY: give 64 hexadecimal digits/);
  assert.doesNotMatch(stderr, /zebra/);
  const missing = await runTocsin(["rewrap", "--json"], { environment });
  assert.deepEqual([missing.code, JSON.parse(missing.stdout).error.code], [1, "no_database"]);
  await runTocsin(["migrate"], { environment });
  const neverStarted = await runTocsin(["rewrap", "--json"], { environment });
  assert.deepEqual(
    [neverStarted.code, JSON.parse(neverStarted.stdout).error.code],
    [1, "nothing_to_seal"],
  );
  await writeFile(join(environment.TOCSIN_DATA_DIR, "session-secret"), "s".repeat(43));
  await writeFile(join(environment.TOCSIN_DATA_DIR, "master-key"), "damaged");
  const damaged = await runTocsin(["rewrap"], { environment });
  assert.match(damaged.stderr, /is not a master key/);
});
