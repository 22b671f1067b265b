import assert from "node:assert/strict";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { signUp, startApp } from "../../test/support/app.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkContact, judgeContact } from "./webpush-contact.ts";
import { checkVapidKeys } from "./webpush.ts";

/** SQLite: the secrets are files beside the database. */
const FILE = { kind: "sqlite", path: "tocsin.db" } as const;
const NO_KEYS = { current: null, old: null, file: null };

test("the key pair of a server is found, and a missing one is not created", async (test) => {
  const { dataDir, database } = await startApp(test);
  assert.match(
    (await checkVapidKeys({ dataDir, database, masterKeys: NO_KEYS })).message,
    /holds the key pair/,
  );
  const empty = await temporaryFolder(test);
  const verdict = await checkVapidKeys({ dataDir: empty, database: FILE, masterKeys: NO_KEYS });
  assert.equal(verdict.status, "ok");
  assert.match(verdict.message, /will be made at the first start/);
  assert.deepEqual(await readdir(empty), []);
});

test("a file that is no key pair fails and is not quoted", async (test) => {
  const dataDir = await temporaryFolder(test);
  const { publicKey } = generateVapidKeys();
  const { privateKey } = generateVapidKeys();
  for (const text of [`{"privateKey":"${privateKey}`, JSON.stringify({ publicKey, privateKey })]) {
    await writeFile(join(dataDir, "vapid.json"), text, { mode: 0o600 });
    const verdict = await checkVapidKeys({ dataDir, database: FILE, masterKeys: NO_KEYS });
    assert.equal(verdict.status, "fail");
    assert.match(verdict.mend ?? "", /Restore the file from a backup/);
    assert.ok(!JSON.stringify(verdict).includes(privateKey.slice(0, 8)));
  }
});

test("a file that cannot be read fails, and one that others may read is reported", async (test) => {
  const dataDir = await temporaryFolder(test);
  const path = join(dataDir, "vapid.json");
  await writeFile(path, JSON.stringify(generateVapidKeys()));
  await chmod(path, 0o640);
  const open = await checkVapidKeys({ dataDir, database: FILE, masterKeys: NO_KEYS });
  assert.deepEqual([open.status, open.mend], ["warn", `Run: chmod 600 ${path}`]);
  const other = await temporaryFolder(test);
  await mkdir(join(other, "vapid.json"));
  const folder = await checkVapidKeys({ dataDir: other, database: FILE, masterKeys: NO_KEYS });
  assert.equal(folder.status, "fail");
  assert.match(folder.message, /cannot be read \(EISDIR\)/);
});

test("a contact that Apple refuses is reported with what to set", () => {
  assert.equal(judgeContact("https://push.example.com").status, "ok");
  for (const contact of ["https://nas.lan", "mailto:ops@localhost"]) {
    const verdict = judgeContact(contact);
    assert.equal(verdict.status, "warn");
    assert.match(verdict.message, /iPhones and Safari are not reached: it/);
    assert.match(verdict.mend ?? "", /TOCSIN_VAPID_SUBJECT/);
  }
});

test("without a setting, the contact is the first administrator in the database", async (test) => {
  const { app, database, url } = await startApp(test, {
    environment: { TOCSIN_VAPID_SUBJECT: "" },
  });
  const bare = { vapidSubject: null, database };
  assert.match((await checkContact(bare)).message, /will get the first administrator/);
  const { hash } = new URL((await app.createSetUpLink()) ?? "");
  const token = new URLSearchParams(hash.slice(1)).get("token") ?? "";
  await signUp({ url }, "Ann", token);
  assert.deepEqual(await checkContact(bare), {
    status: "ok",
    message: "Push services get mailto:ann@example.org as the contact.",
    mend: null,
  });
  const set = { vapidSubject: "mailto:ops@example.com", database };
  assert.match((await checkContact(set)).message, /mailto:ops@example\.com/);
});

test("before the first start there is no contact, and no file is created", async (test) => {
  const dataDir = await temporaryFolder(test);
  const database = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  assert.equal((await checkContact({ vapidSubject: null, database })).status, "ok");
  assert.deepEqual(await readdir(dataDir), []);
});
