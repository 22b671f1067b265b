import assert from "node:assert/strict";
import { copyFile, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { startAdministeredApp } from "../support/administrator.ts";
import { readRecordedEvents } from "../support/recorded-events.ts";
import { ON_POSTGRES, ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startApp } from "../support/app.ts";

test("an access token cannot start a backup", ON_SQLITE, async (t) => {
  const app = await startAdministeredApp(t);
  const { token } = await app.root.client.accessTokens.create({ label: "program" });
  const tokenClient = createClient({ baseUrl: app.url, accessToken: token });
  await assert.rejects(tokenClient.admin.startBackup(), { status: 403 });
});

test(
  "an administrator creates one backup at a time, and a server starts on it",
  ON_SQLITE,
  async (t) => {
    const app = await startAdministeredApp(t);
    const { admin } = app.root.client;
    const { token } = await app.root.client.accessTokens.create({ label: "program" });
    assert.equal((await admin.backup()).state, "none");

    const results = await Promise.allSettled([admin.startBackup(), admin.startBackup()]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    const backup = await eventually(
      () => admin.backup(),
      ({ state }) => state !== "running",
    );
    assert.equal(backup.state, "made", backup.message ?? "");
    assert.deepEqual(
      backup.made.map(({ folder }) => folder),
      [backup.folder],
    );
    assert.ok((backup.made[0]?.sizeBytes ?? 0) > 0);
    assert.deepEqual(await readdir(join(app.dataDir, "backups")), [basename(backup.folder ?? "")]);
    const events = (await readRecordedEvents(app.app.context)).filter(
      ({ action }) => action === "backup_made",
    );
    assert.deepEqual(
      events.map(({ actor }) => actor.accountId),
      [app.root.accountId],
    );
    // The master key is not part of a backup.
    assert.match(backup.keyId ?? "", /^[0-9a-f]{8}$/);
    await copyFile(join(app.dataDir, "master-key"), join(backup.folder ?? "", "master-key"));
    const restoredApp = await startApp(t, { dataDir: backup.folder ?? "" });
    const restoredClient = createClient({ baseUrl: restoredApp.url, accessToken: token });
    assert.equal((await restoredClient.me()).email, app.root.email);
  },
);

test(
  "on PostgreSQL, the advice names pg_dump without the password, and no backup starts",
  ON_POSTGRES,
  async (t) => {
    const { root } = await startAdministeredApp(t);
    const { advice, state } = await root.client.admin.backup();
    assert.equal(state, "none");
    assert.match(advice ?? "", /pg_dump --format=custom/);
    assert.doesNotMatch(advice ?? "", /:\/\/[^/@]*:[^/@]*@/);
    await assert.rejects(root.client.admin.startBackup(), { status: 409, message: /pg_dump/ });
  },
);
