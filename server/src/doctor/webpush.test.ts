import assert from "node:assert/strict";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { signUp, startApp } from "../../test/support/app.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkContact, assessContact } from "./webpush-contact.ts";
import { checkVapidKeys } from "./webpush-keys.ts";

/** With SQLite, the secrets are files in the data folder. */
const SQLITE = { kind: "sqlite", path: "tocsin.db" } as const;
/** No master key is set. */
const NO_KEYS = { current: null, old: null, file: null };

test("an existing key pair is ok, and a missing one is not created", async (t) => {
  const { dataDir, database } = await startApp(t);
  assert.match(
    (await checkVapidKeys({ dataDir, database, masterKeys: NO_KEYS })).message,
    /holds the key pair/,
  );
  const empty = await createTemporaryFolder(t);
  const verdict = await checkVapidKeys({ dataDir: empty, database: SQLITE, masterKeys: NO_KEYS });
  assert.equal(verdict.status, "ok");
  assert.match(verdict.message, /will be created at the first start/);
  assert.deepEqual(await readdir(empty), []);
});

test("an invalid key pair fails, and is not quoted", async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const { publicKey } = generateVapidKeys();
  const { privateKey } = generateVapidKeys();
  for (const text of [`{"privateKey":"${privateKey}`, JSON.stringify({ publicKey, privateKey })]) {
    await writeFile(join(dataDir, "vapid.json"), text, { mode: 0o600 });
    const verdict = await checkVapidKeys({ dataDir, database: SQLITE, masterKeys: NO_KEYS });
    assert.equal(verdict.status, "fail");
    assert.match(verdict.mend ?? "", /Restore the key pair from a backup/);
    assert.ok(!JSON.stringify(verdict).includes(privateKey.slice(0, 8)));
  }
});

test("an unreadable key pair fails, and one that others can read is a warning", async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const path = join(dataDir, "vapid.json");
  await writeFile(path, JSON.stringify(generateVapidKeys()));
  await chmod(path, 0o640);
  const readableByOthers = await checkVapidKeys({ dataDir, database: SQLITE, masterKeys: NO_KEYS });
  assert.deepEqual(
    [readableByOthers.status, readableByOthers.mend],
    ["warn", `Run: chmod 600 ${path}`],
  );
  const otherDataDir = await createTemporaryFolder(t);
  await mkdir(join(otherDataDir, "vapid.json"));
  const folder = await checkVapidKeys({
    dataDir: otherDataDir,
    database: SQLITE,
    masterKeys: NO_KEYS,
  });
  assert.equal(folder.status, "fail");
  assert.match(folder.message, /cannot be read \(EISDIR\)/);
});

test("a contact that Apple refuses is a warning with the setting to change", () => {
  assert.equal(assessContact("https://push.example.com").status, "ok");
  for (const contact of ["https://nas.lan", "mailto:ops@localhost"]) {
    const verdict = assessContact(contact);
    assert.equal(verdict.status, "warn");
    assert.match(verdict.message, /iPhones and Safari are not reached: it/);
    assert.match(verdict.mend ?? "", /TOCSIN_VAPID_SUBJECT/);
  }
});

test("the contact is the first administrator in the database if the setting is absent", async (t) => {
  const { app, database, url } = await startApp(t, {
    environment: { TOCSIN_VAPID_SUBJECT: "" },
  });
  const withoutSetting = { vapidSubject: null, database };
  assert.match((await checkContact(withoutSetting)).message, /will get the first administrator/);
  const { hash } = new URL((await app.createSetUpLink()) ?? "");
  const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
  await signUp({ url }, "Ann", token);
  assert.deepEqual(await checkContact(withoutSetting), {
    status: "ok",
    message: "Push services get mailto:ann@example.org as the contact.",
    mend: null,
  });
  const withSetting = { vapidSubject: "mailto:ops@example.com", database };
  assert.match((await checkContact(withSetting)).message, /mailto:ops@example\.com/);
});

test("the contact before the first start of a server is ok, and its check creates no file", async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const database = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  assert.equal((await checkContact({ vapidSubject: null, database })).status, "ok");
  assert.deepEqual(await readdir(dataDir), []);
});
