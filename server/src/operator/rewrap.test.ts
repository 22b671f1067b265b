import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { pino } from "pino";
import {
  createDatabase,
  ON_OWN_TABLES,
  ON_POSTGRES,
  ON_SQLITE,
} from "../../test/support/database.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { WRAPPED_SECRETS } from "../../test/support/wrapped-secrets.ts";
import type { Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { claimMails, mailInsert, openText } from "#mail/store/outbox.ts";
import { beat } from "#nodes/store.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { MissingKeyError } from "#secrets/key-ring.ts";
import { newMasterKeyText, parseMasterKey } from "#secrets/master-key.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { fileKeeper, keeperOf, SECRET_NAMES } from "#secrets/secret-keeper.ts";
import { loadSecrets } from "#secrets/secrets.ts";
import { rewrap, type RewrapInput } from "./rewrap.ts";
import { contextOf } from "./with-context.ts";

const log = pino({ level: "silent" });
const NOW = Date.UTC(2026, 5, 1);
const now = () => NOW;
const CANARY = "token-that-nobody-must-read";
const NO_KEYS = { current: null, old: null, file: null };
const newKey = () => parseMasterKey(newMasterKeyText());
const BEAT = { role: "all", deadAfterMs: 8_000, countsFrom: 0, silentMaxMs: 4_000 };

/** Columns that a later step added stand behind those of earlier ones. */
async function columnsSinceMarkdown({ db }: Database): Promise<readonly string[]> {
  const tables = await db.introspection.getTables();
  const names = tables.find(({ name }) => name === "notification")?.columns.map(({ name }) => name);
  return names?.slice(names.indexOf("markdown")) ?? [];
}

async function dropLaterColumns(database: Database): Promise<void> {
  const { schema } = database.db;
  for (const column of await columnsSinceMarkdown(database)) {
    await schema.alterTable("notification").dropColumn(column).execute();
  }
  await schema.alterTable("send_job").dropColumn("marked").execute();
  await schema.alterTable("send_job").dropColumn("suspected").execute();
}

/** An installation as the previous version left it, with this many queued mails. */
async function stage(t: TestContext, { mails = 3 } = {}) {
  const { place, hold, letGo } = await createDatabase(t);
  hold();
  t.after(letGo);
  const dataDir = place.kind === "sqlite" ? dirname(place.path) : await temporaryFolder(t);
  const vapid = generateVapidKeys();
  const texts = { session: `session-secret-${CANARY}-of-old`, vapid: JSON.stringify(vapid) };
  const withDatabase = async <T>(run: (database: Database) => Promise<T>): Promise<T> => {
    const database = openDatabase(place, log);
    try {
      return await run(database);
    } finally {
      await database.close();
    }
  };
  await withDatabase(async (database) => {
    await migrate(database);
    const keeper = keeperOf({ database: place, dataDir }, database);
    for (const name of SECRET_NAMES) await keeper.offer(name, texts[name]);
    const context = contextOf(database, { now, log });
    const link = `https://push.example.org/invitation#token=${CANARY}`;
    const mail = { purpose: "invitation", to: "ann@example.org", subject: "Hello" } as const;
    const inserts = Array.from({ length: mails }, () =>
      mailInsert(context, { ...mail, link, text: `Open ${link}` }),
    );
    await database.atomically(inserts);
    // Undoes the migration that sealing needs.
    if (place.kind === "postgres") {
      await sql`alter table node drop column known_step`.execute(database.db);
      await sql`drop trigger api_key_post_only_changed on api_key`.execute(database.db);
      await sql`drop function api_key_named_first, sign_in_ended cascade`.execute(database.db);
      await sql`drop index api_key_by_successor`.execute(database.db);
    }
    await sql`alter table api_key drop column first_key_id`.execute(database.db);
    await sql`alter table api_key drop column post_only_at`.execute(database.db);
    await sql`drop table mail_refusal`.execute(database.db);
    await dropLaterColumns(database);
    await sql`drop table left_device`.execute(database.db);
    await sql`alter table mail_message drop column held_ms`.execute(database.db);
    await sql`delete from kysely_migration where name >= '0022'`.execute(database.db);
  });
  const settings = (keys: Partial<RewrapInput["config"]["masterKeys"]>) => {
    return { database: place, dataDir, masterKeys: { ...NO_KEYS, ...keys } };
  };
  return {
    place,
    dataDir,
    settings,
    withDatabase,
    secrets: { session: texts.session, vapid },
    rewrap: (
      keys: Partial<RewrapInput["config"]["masterKeys"]>,
      onProgress: RewrapInput["onProgress"] = () => {},
    ) => rewrap({ config: settings(keys), now, onProgress }),
    load: (keys: Partial<RewrapInput["config"]["masterKeys"]>) =>
      withDatabase((database) => loadSecrets(settings(keys), database)),
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Returns the contents of a copy: the data folder without its key, or all tables as text. */
async function copyOf({ place, dataDir, withDatabase }: Stage): Promise<string> {
  if (place.kind === "sqlite") {
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
  "an installation of the previous version is sealed completely, including mails, and works as before",
  ON_OWN_TABLES,
  async (t) => {
    const staged = await stage(t, { mails: 230 });
    const { secrets, withDatabase } = staged;
    assert.ok((await copyOf(staged)).includes(CANARY));
    const current = newKey();
    assert.deepEqual(await staged.load({ current }), { ...secrets, isSealed: false });
    const told: string[] = [];
    const done = await staged.rewrap({ current }, ({ phase, done: count, total }) =>
      told.push(`${phase} ${count} of ${total}`),
    );
    assert.deepEqual(done, { keyId: current.id, secrets: 2, mails: 230, mustRestart: false });
    const mails = [100, 200, 230].map((count) => `mails ${count} of 230`);
    assert.deepEqual(told, ["secrets 1 of 2", "secrets 2 of 2", ...mails]);
    assert.deepEqual(await staged.load({ current }), { ...secrets, isSealed: true });
    const events = await withDatabase(({ db }) =>
      db.selectFrom("audit_event").select(["action", "changes"]).execute(),
    );
    assert.deepEqual(
      events.map(({ action }) => action),
      ["master_key_rewrapped"],
    );
    assert.ok(events[0]?.changes.includes(current.id));
    const copy = await copyOf(staged);
    for (const secret of [CANARY, secrets.vapid.privateKey]) assert.ok(!copy.includes(secret));
    const seal = createRowSeal({ secret: secrets.session, isSealing: true });
    const opened = await withDatabase(async (database) => {
      const context = { ...contextOf(database, { now, log }), seal };
      const claimed = await claimMails(context, { max: 300, until: NOW + 1 });
      return claimed.map((mail) => openText(context, mail)?.link);
    });
    assert.equal(opened.length, 230);
    for (const link of opened) assert.match(link ?? "", new RegExp(`token=${CANARY}$`));
  },
);

test("another key replaces the first, which then opens nothing", ON_OWN_TABLES, async (t) => {
  const staged = await stage(t);
  const [first, second] = [newKey(), newKey()];
  await staged.rewrap({ current: first });
  await assert.rejects(staged.load({ current: second }), MissingKeyError);
  await assert.rejects(staged.rewrap({ current: second }), { code: "master_key" });
  const both = { current: second, old: first };
  assert.deepEqual(await staged.load(both), { ...staged.secrets, isSealed: true });
  assert.equal((await staged.rewrap(both)).secrets, 2);
  assert.deepEqual(await staged.load({ current: second }), { ...staged.secrets, isSealed: true });
  await assert.rejects(staged.load({ current: first }), MissingKeyError);
  const again = await staged.rewrap({ current: second });
  assert.deepEqual([again.secrets, again.mails], [0, 0]);
});

test(
  "an interrupted run can be read with both keys, and is resumed where it stopped",
  ON_OWN_TABLES,
  async (t) => {
    const staged = await stage(t, { mails: 150 });
    const [first, second] = [newKey(), newKey()];
    const breakAt = (phase: string) => (progress: { readonly phase: string }) => {
      if (progress.phase === phase) throw new Error("The power fails.");
    };
    await assert.rejects(staged.rewrap({ current: first }, breakAt("mails")), /The power fails/);
    assert.equal((await staged.rewrap({ current: first })).mails, 50);
    assert.ok(!(await copyOf(staged)).includes(CANARY), "nor is it left in the file");
    const both = { current: second, old: first };
    await assert.rejects(staged.rewrap(both, breakAt("secrets")), /The power fails/);
    assert.deepEqual(await staged.load(both), { ...staged.secrets, isSealed: true });
    assert.equal((await staged.rewrap(both)).secrets, 1);
    assert.deepEqual(await staged.load({ current: second }), { ...staged.secrets, isSealed: true });
  },
);

test(
  "on SQLite a key is created and stored separately; the first time no server may run, later it may",
  ON_SQLITE,
  async (t) => {
    const staged = await stage(t);
    const unlock = lockInstance(join(staged.dataDir, "server.lock"));
    await assert.rejects(staged.rewrap({}), { code: "running" });
    assert.deepEqual(await fileKeeper(staged.dataDir).find("session"), staged.secrets.session);
    assert.ok(!(await readdir(staged.dataDir)).includes("master-key"));
    unlock();
    const { keyId } = await staged.rewrap({});
    const text = await readFile(join(staged.dataDir, "master-key"), "utf8");
    assert.equal(parseMasterKey(text.trim()).id, keyId);
    const lockAgain = lockInstance(join(staged.dataDir, "server.lock"));
    t.after(lockAgain);
    const current = newKey();
    assert.equal((await staged.rewrap({ current })).keyId, current.id);
  },
);

test(
  "secrets that the version before sealed are used as they are, and sealed anew by the same key",
  ON_SQLITE,
  async (t) => {
    const { dataDir, load, rewrap: seal } = await stage(t);
    const current = parseMasterKey(WRAPPED_SECRETS.masterKey);
    for (const [name, text] of Object.entries(WRAPPED_SECRETS.files)) {
      await writeFile(join(dataDir, name), text);
    }
    const before = await load({ current });
    assert.deepEqual([before.session, before.isSealed], [WRAPPED_SECRETS.session, true]);
    assert.equal((await seal({ current })).secrets, 2);
    assert.deepEqual(await load({ current }), before);
    for (const name of Object.keys(WRAPPED_SECRETS.files)) {
      const { sealed, key } = JSON.parse(await readFile(join(dataDir, name), "utf8"));
      assert.deepEqual([sealed, key], [2, ""]);
    }
    assert.equal((await seal({ current })).secrets, 0);
  },
);

test("where the key is lost nothing is made in its place", ON_SQLITE, async (t) => {
  const staged = await stage(t);
  const current = newKey();
  await staged.rewrap({ current });
  await assert.rejects(staged.rewrap({}), { code: "master_key", message: new RegExp(current.id) });
  assert.ok(!(await readdir(staged.dataDir)).includes("master-key"));
});

test(
  "on PostgreSQL nothing is sealed while a node of an earlier version runs, or without a key",
  ON_POSTGRES,
  async (t) => {
    const staged = await stage(t);
    const current = newKey();
    // Migrates the tables to this version first.
    await assert.rejects(staged.rewrap({}), { code: "no_master_key" });
    const before = await copyOf(staged);
    // As written by a version without this column.
    const beatAsBefore = ({ db }: Database) =>
      sql`insert into node (id, role, started_at, seen_at)
        values ('n1', 'all', 0, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`.execute(
        db,
      );
    await staged.withDatabase(beatAsBefore);
    await assert.rejects(staged.rewrap({ current }), { code: "earlier_version" });
    // The version before seals, and reads its own form alone.
    await staged.withDatabase(({ db }) =>
      db.updateTable("node").set({ known_step: "0035-left-devices" }).execute(),
    );
    await assert.rejects(staged.rewrap({ current }), { code: "earlier_version" });
    assert.equal(await copyOf(staged), before);
    await staged.withDatabase(async (database) => {
      await database.db.deleteFrom("node").execute();
      await beat(database, { id: "n2", ...BEAT });
    });
    assert.equal((await staged.rewrap({ current })).mustRestart, true);
    // A previous version then refuses to start, before it writes anything.
    const value = await staged.withDatabase(({ db }) =>
      db.selectFrom("shared_secret").select("value").where("name", "=", "vapid").executeTakeFirst(),
    );
    assert.equal(JSON.parse(value?.value ?? "").privateKey, undefined);
  },
);

test("a server that never started has nothing to seal", async (t) => {
  const dataDir = await temporaryFolder(t);
  const place = { kind: "sqlite", path: join(dataDir, "tocsin.db") } as const;
  const config = { database: place, dataDir, masterKeys: NO_KEYS };
  await assert.rejects(rewrap({ config, now, onProgress() {} }), { code: "no_database" });
  await writeFile(place.path, "");
  await assert.rejects(rewrap({ config, now, onProgress() {} }), {
    code: "nothing_to_seal",
  });
  assert.ok(!(await readdir(dataDir)).includes("master-key"));
});
