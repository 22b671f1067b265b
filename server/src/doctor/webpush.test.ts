import assert from "node:assert/strict";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { generateVapidKeys } from "#providers/webpush/vapid-keys.ts";
import { startApp } from "../../test/support/app.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkVapidKeys, judgeSubject } from "./webpush.ts";

/** Whose secrets stand in files beside it. */
const FILE = { kind: "sqlite", path: "tocsin.db" } as const;
const NO_KEYS = { current: null, old: null, file: null };

test("the key pair of a server is found, and one that is missing is not made", async (test) => {
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

test("a file that is no key pair fails and is not repeated", async (test) => {
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

test("a file that cannot be read fails, and one that others read is told", async (test) => {
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

test("a contact that Apple refuses is told with what to set", () => {
  assert.equal(judgeSubject({ vapidSubject: "https://push.example.com" }).status, "ok");
  for (const vapidSubject of [null, "https://nas.lan", "mailto:ops@localhost"]) {
    const verdict = judgeSubject({ vapidSubject });
    assert.equal(verdict.status, "warn");
    assert.match(verdict.message, /iPhones and Safari are not reached: it/);
    assert.match(verdict.mend ?? "", /TOCSIN_VAPID_SUBJECT/);
  }
});
