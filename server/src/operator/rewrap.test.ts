import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { pino } from "pino";
import {
  createDatabase,
  ON_CURRENT_SCHEMA,
  ON_POSTGRES,
  ON_SQLITE,
} from "../../test/support/database.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { WRAPPED_SECRETS } from "../../test/support/wrapped-secrets.ts";
import type { Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { claimMails, insertMailQuery, unsealContent } from "#mail/store/outbox.ts";
import { recordHeartbeat } from "#nodes/store.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { MissingKeyError } from "#secrets/key-ring.ts";
import { generateMasterKeyText, parseMasterKey, type MasterKeys } from "#secrets/master-key.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { createFileSecretStore, createSecretStore, SECRET_NAMES } from "#secrets/secret-store.ts";
import { loadSecrets } from "#secrets/secrets.ts";
import { revertToBeforeSealing } from "../../test/support/revert-to-before-sealing.ts";
import { rewrap, type RewrapInput } from "./rewrap.ts";
import { createOperatorContext } from "./with-context.ts";

const log = pino({ level: "silent" });
const NOW = Date.UTC(2026, 5, 1);
const now = () => NOW;
const CANARY = "token-that-nobody-must-read";
const NO_KEYS = { current: null, old: null, file: null };
const generateKey = () => parseMasterKey(generateMasterKeyText());
const HEARTBEAT = { role: "all", deadAfterMs: 8_000, absenceCountsFromAt: 0, silenceMaxMs: 4_000 };

/** Creates an installation in the state of an earlier version, with queued mails. */
async function setUp(t: TestContext, { mailCount = 3 } = {}) {
  const { location, acquire, release } = await createDatabase(t);
  acquire();
  t.after(release);
  const dataDir =
    location.kind === "sqlite" ? dirname(location.path) : await createTemporaryFolder(t);
  const vapid = generateVapidKeys();
  const secretTexts = { session: `session-secret-${CANARY}-of-old`, vapid: JSON.stringify(vapid) };
  const withDatabase = async <T>(run: (database: Database) => Promise<T>): Promise<T> => {
    const database = openDatabase(location, log);
    try {
      return await run(database);
    } finally {
      await database.close();
    }
  };
  await withDatabase(async (database) => {
    await migrate(database);
    const store = createSecretStore({ database: location, dataDir }, database);
    for (const name of SECRET_NAMES) await store.storeIfMissing(name, secretTexts[name]);
    const context = createOperatorContext(database, { now, log });
    const link = `https://push.example.org/invitation#token=${CANARY}`;
    const mail = { purpose: "invitation", to: "ann@example.org", subject: "Hello" } as const;
    const inserts = Array.from({ length: mailCount }, () =>
      insertMailQuery(context, { ...mail, link, text: `Open ${link}` }),
    );
    await database.atomically(inserts);
    await revertToBeforeSealing(database);
  });
  const createSettings = (keys: Partial<MasterKeys>) => {
    return { database: location, dataDir, masterKeys: { ...NO_KEYS, ...keys } };
  };
  return {
    location,
    dataDir,
    withDatabase,
    secrets: { session: secretTexts.session, vapid },
    rewrap: (keys: Partial<MasterKeys>, onProgress: RewrapInput["onProgress"] = () => {}) =>
      rewrap({ config: createSettings(keys), now, onProgress }),
    load: (keys: Partial<MasterKeys>) =>
      withDatabase((database) => loadSecrets(createSettings(keys), database)),
  };
}

type RewrapFixture = Awaited<ReturnType<typeof setUp>>;

/** Returns the contents that a copy would reveal: the data folder without its key, or the tables with secrets. */
async function readCopy({ location, dataDir, withDatabase }: RewrapFixture): Promise<string> {
  if (location.kind === "sqlite") {
    const names = (await readdir(dataDir)).filter((name) => name !== "master-key");
    const texts = await Promise.all(names.map((name) => readFile(join(dataDir, name), "latin1")));
    return texts.join("\n");
  }
  return withDatabase(async ({ db }) => {
    const rows = await Promise.all([
      db.selectFrom("shared_secret").selectAll().execute(),
      db.selectFrom("mail_message").selectAll().execute(),
    ]);
    return JSON.stringify(rows);
  });
}

test(
  "all secrets and emails of an earlier version are sealed, and can still be read",
  ON_CURRENT_SCHEMA,
  async (t) => {
    const fixture = await setUp(t, { mailCount: 230 });
    const { secrets, withDatabase } = fixture;
    assert.ok((await readCopy(fixture)).includes(CANARY));
    const current = generateKey();
    assert.deepEqual(await fixture.load({ current }), { ...secrets, isSealed: false });
    const progressLines: string[] = [];
    const result = await fixture.rewrap({ current }, ({ phase, done: count, total }) =>
      progressLines.push(`${phase} ${count} of ${total}`),
    );
    const counts = [result.secrets, result.mails, result.callbackSecrets];
    assert.deepEqual([result.keyId, ...counts], [current.id, 2, 230, 0]);
    const mails = [100, 200, 230].map((count) => `mails ${count} of 230`);
    assert.deepEqual(progressLines, ["secrets 1 of 2", "secrets 2 of 2", ...mails]);
    assert.deepEqual(await fixture.load({ current }), { ...secrets, isSealed: true });
    const events = await withDatabase(({ db }) =>
      db.selectFrom("audit_event").select(["action", "changes"]).execute(),
    );
    assert.deepEqual(
      events.map(({ action }) => action),
      ["master_key_rewrapped"],
    );
    assert.ok(events[0]?.changes.includes(current.id));
    const copy = await readCopy(fixture);
    for (const secret of [CANARY, secrets.vapid.privateKey]) assert.ok(!copy.includes(secret));
    const seal = createRowSeal({ secret: secrets.session, isSealing: true });
    const openedLinks = await withDatabase(async (database) => {
      const context = { ...createOperatorContext(database, { now, log }), seal };
      const claimedMails = await claimMails(context, { max: 300, leaseEndsAt: NOW + 1 });
      return claimedMails.map((mail) => unsealContent(context, mail)?.link);
    });
    assert.equal(openedLinks.length, 230);
    for (const link of openedLinks) assert.match(link ?? "", new RegExp(`token=${CANARY}$`));
  },
);

test("a new key replaces the old one, which then opens nothing", ON_CURRENT_SCHEMA, async (t) => {
  const fixture = await setUp(t);
  const first = generateKey();
  const second = generateKey();
  await fixture.rewrap({ current: first });
  await assert.rejects(fixture.load({ current: second }), MissingKeyError);
  await assert.rejects(fixture.rewrap({ current: second }), { code: "master_key" });
  const bothKeys = { current: second, old: first };
  assert.deepEqual(await fixture.load(bothKeys), { ...fixture.secrets, isSealed: true });
  assert.equal((await fixture.rewrap(bothKeys)).secrets, 2);
  assert.deepEqual(await fixture.load({ current: second }), { ...fixture.secrets, isSealed: true });
  await assert.rejects(fixture.load({ current: first }), MissingKeyError);
  const secondResult = await fixture.rewrap({ current: second });
  assert.deepEqual([secondResult.secrets, secondResult.mails], [0, 0]);
});

test(
  "an interrupted run leaves both keys necessary, and the next run resumes it",
  ON_CURRENT_SCHEMA,
  async (t) => {
    const fixture = await setUp(t, { mailCount: 150 });
    const first = generateKey();
    const second = generateKey();
    const failAt = (phase: string) => (progress: { readonly phase: string }) => {
      if (progress.phase === phase) throw new Error("The power fails.");
    };
    await assert.rejects(fixture.rewrap({ current: first }, failAt("mails")), /The power fails/);
    const isPostgres = fixture.location.kind === "postgres";
    const beat = (database: Database) => recordHeartbeat(database, { id: "n1", ...HEARTBEAT });
    if (isPostgres) await fixture.withDatabase(beat);
    const resumed = await fixture.rewrap({ current: first });
    assert.deepEqual([resumed.mails, resumed.mustRestart], [50, isPostgres]);
    assert.ok(!(await readCopy(fixture)).includes(CANARY), "no unsealed email is left in the file");
    const bothKeys = { current: second, old: first };
    await assert.rejects(fixture.rewrap(bothKeys, failAt("secrets")), /The power fails/);
    assert.deepEqual(await fixture.load(bothKeys), { ...fixture.secrets, isSealed: true });
    assert.equal((await fixture.rewrap(bothKeys)).secrets, 1);
    const loadedSecrets = await fixture.load({ current: second });
    assert.deepEqual(loadedSecrets, { ...fixture.secrets, isSealed: true });
  },
);

test("the first run on SQLite creates a key file, unless a server runs", ON_SQLITE, async (t) => {
  const fixture = await setUp(t);
  const unlock = lockInstance(join(fixture.dataDir, "server.lock"));
  await assert.rejects(fixture.rewrap({}), { code: "running" });
  const storedSecret = await createFileSecretStore(fixture.dataDir).find("session");
  assert.equal(storedSecret, fixture.secrets.session);
  assert.ok(!(await readdir(fixture.dataDir)).includes("master-key"));
  unlock();
  const { keyId } = await fixture.rewrap({});
  const text = await readFile(join(fixture.dataDir, "master-key"), "utf8");
  assert.equal(parseMasterKey(text.trim()).id, keyId);
  t.after(lockInstance(join(fixture.dataDir, "server.lock")));
  const current = generateKey();
  assert.equal((await fixture.rewrap({ current })).keyId, current.id);
});

test(
  "secrets in the previous sealed form can be read, and are sealed again with the same key",
  ON_SQLITE,
  async (t) => {
    const { dataDir, load, rewrap: seal } = await setUp(t);
    const current = parseMasterKey(WRAPPED_SECRETS.masterKey);
    for (const [name, text] of Object.entries(WRAPPED_SECRETS.files)) {
      await writeFile(join(dataDir, name), text);
    }
    const secretsBefore = await load({ current });
    assert.equal(secretsBefore.session, WRAPPED_SECRETS.session);
    assert.equal(secretsBefore.isSealed, true);
    assert.equal((await seal({ current })).secrets, 2);
    assert.deepEqual(await load({ current }), secretsBefore);
    for (const name of Object.keys(WRAPPED_SECRETS.files)) {
      const { sealed, key } = JSON.parse(await readFile(join(dataDir, name), "utf8"));
      assert.deepEqual({ sealed, key }, { sealed: 2, key: "" });
    }
    assert.equal((await seal({ current })).secrets, 0);
  },
);

test("a lost key is not replaced by a new one", ON_SQLITE, async (t) => {
  const fixture = await setUp(t);
  const current = generateKey();
  await fixture.rewrap({ current });
  await assert.rejects(fixture.rewrap({}), { code: "master_key", message: new RegExp(current.id) });
  assert.ok(!(await readdir(fixture.dataDir)).includes("master-key"));
});

test(
  "sealing on PostgreSQL requires a key, and that no node of an earlier version runs",
  ON_POSTGRES,
  async (t) => {
    const fixture = await setUp(t);
    const current = generateKey();
    // This failed run migrates the tables to this version.
    await assert.rejects(fixture.rewrap({}), { code: "no_master_key" });
    const copyBefore = await readCopy(fixture);
    // A version without the column `known_step` would insert this row.
    const insertNodeWithoutStep = ({ db }: Database) =>
      sql`insert into node (id, role, started_at, seen_at)
        values ('n1', 'all', 0, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`.execute(
        db,
      );
    await fixture.withDatabase(insertNodeWithoutStep);
    await assert.rejects(fixture.rewrap({ current }), { code: "earlier_version" });
    // The previous version can seal, but reads only its own form.
    await fixture.withDatabase(({ db }) =>
      db.updateTable("node").set({ known_step: "0035-left-devices" }).execute(),
    );
    await assert.rejects(fixture.rewrap({ current }), { code: "earlier_version" });
    assert.equal(await readCopy(fixture), copyBefore);
    await fixture.withDatabase(async (database) => {
      await database.db.deleteFrom("node").execute();
      await recordHeartbeat(database, { id: "n2", ...HEARTBEAT });
    });
    assert.equal((await fixture.rewrap({ current })).mustRestart, true);
    // An earlier version cannot parse this value, so it refuses to start.
    const value = await fixture.withDatabase(({ db }) =>
      db.selectFrom("shared_secret").select("value").where("name", "=", "vapid").executeTakeFirst(),
    );
    assert.equal(JSON.parse(value?.value ?? "").privateKey, undefined);
  },
);

test("a missing database and one without secrets are refused", async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const location = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  const config = { database: location, dataDir, masterKeys: NO_KEYS };
  await assert.rejects(rewrap({ config, now, onProgress() {} }), { code: "no_database" });
  await writeFile(location.path, "");
  await assert.rejects(rewrap({ config, now, onProgress() {} }), { code: "nothing_to_seal" });
  assert.ok(!(await readdir(dataDir)).includes("master-key"));
});
