import assert from "node:assert/strict";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { startAdministered } from "../support/administrator.ts";
import { recordedEvents } from "../support/audit.ts";
import { ON_POSTGRES, ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startApp } from "../support/app.ts";

test("an administrator creates a backup, and a server starts on it", ON_SQLITE, async (t) => {
  const app = await startAdministered(t);
  const { admin } = app.root.client;
  const { token } = await app.root.client.accessTokens.create({ label: "program" });
  const program = createClient({ baseUrl: app.url, accessToken: token });
  await assert.rejects(program.admin.startBackup(), { status: 403 });
  assert.equal((await admin.backup()).state, "none");

  const both = await Promise.allSettled([admin.startBackup(), admin.startBackup()]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const done = await eventually(
    () => admin.backup(),
    ({ state }) => state !== "running",
  );
  assert.equal(done.state, "made", done.message ?? "");
  assert.deepEqual(
    done.made.map(({ folder }) => folder),
    [done.folder],
  );
  assert.ok((done.made[0]?.sizeBytes ?? 0) > 0);
  assert.deepEqual(await readdir(join(app.dataDir, "backups")), [done.folder?.split("/").at(-1)]);
  const events = (await recordedEvents(app.app.context)).filter(
    ({ action }) => action === "backup_made",
  );
  assert.deepEqual(
    events.map(({ actor }) => actor.accountId),
    [app.root.accountId],
  );
  // The master key is not part of a backup.
  assert.match(done.keyId ?? "", /^[0-9a-f]{8}$/);
  await copyFile(join(app.dataDir, "master-key"), join(done.folder ?? "", "master-key"));
  const restoredApp = await startApp(t, { dataDir: done.folder ?? "" });
  const restored = createClient({ baseUrl: restoredApp.url, accessToken: token });
  assert.equal((await restored.me()).email, app.root.email);
});

test(
  "on PostgreSQL, the backup page names pg_dump, without the password",
  ON_POSTGRES,
  async (t) => {
    const { root } = await startAdministered(t);
    const { advice, state } = await root.client.admin.backup();
    assert.equal(state, "none");
    assert.match(advice ?? "", /pg_dump --format=custom/);
    assert.doesNotMatch(advice ?? "", /:\/\/[^/@]*:[^/@]*@/);
    await assert.rejects(root.client.admin.startBackup(), { status: 409, message: /pg_dump/ });
  },
);
