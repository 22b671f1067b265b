import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { pino } from "pino";
import { insertNotifications, notificationTo } from "../../test/support/notifications.ts";
import { createDatabase, ON_OWN_POSTGRES } from "../../test/support/database.ts";
import { insertAccount, insertDevice } from "../../test/support/room.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openDatabase, type DatabasePlace } from "#database/open.ts";
import { migrate } from "#database/migration.ts";
import { refuseUnfinishedMove } from "#database/move/move.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { beat } from "#nodes/store.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { markRead } from "#notifications/feed/marks/store.ts";
import { windowsOf } from "#notifications/feed/windows.ts";
import { refuseMails, refusesMails } from "#mail/store/refusals.ts";
import { mailInsert, openText } from "#mail/store/outbox.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { newMasterKeyText, parseMasterKey } from "#secrets/master-key.ts";
import { loadSecrets } from "#secrets/secrets.ts";
import { rewrap } from "./rewrap.ts";
import { moveServer } from "./move-server.ts";
import { placeText } from "./place.ts";
import { contextOf } from "./with-context.ts";

const NOW = Date.UTC(2026, 5, 1);
const log = pino({ level: "silent" });

/** Creates a data folder with rows in many tables, and an empty PostgreSQL database. */
async function setUp(t: TestContext) {
  const { place: postgres, hold, letGo } = await createDatabase(t);
  hold();
  t.after(letGo);
  const [folder, back] = [await temporaryFolder(t), await temporaryFolder(t)];
  await writeFile(join(folder, "session-secret"), `${"s".repeat(43)}\n`);
  await writeFile(join(folder, "vapid.json"), `{"some":"key"}\n`);
  const file = { kind: "sqlite", path: join(folder, "tocsin.db") } as const;
  const copy = { kind: "sqlite", path: join(back, "tocsin.db") } as const;
  await withDatabase(file, async (database) => {
    await migrate(database);
    let time = NOW - 10 * 86_400_000;
    const now = () => (time += 1_000);
    const context = contextOf(database, { now, log });
    const accountId = await insertAccount(context, { name: "Ärne \u{1F514} \"'\\", isAdmin: true });
    await insertAccount(context, { email: "bob@example.org", isVerified: false });
    await refuseMails(context, "bob@example.org");
    await insertDevice(context, {
      accountId,
      name: 'iPhone "quoted"',
      platform: "ios",
      address: {
        provider: "apns",
        token: "a".repeat(64),

        environment: "production",
      },
    });
    const sent = Array.from({ length: 300 }, (_, index) => {
      time += 2_400_000;
      return notificationTo(context, accountId, {
        body: "x".repeat(index * 40),
        deviceCount: null,
      });
    });
    await insertNotifications(context, sent);
    const readIds = { ids: sent.slice(0, 50).map(({ id }) => id) };
    await markRead(context, { accountId, windows: windowsOf(accountId, []), which: readIds });
  });
  return { postgres, file, copy, folder, back };
}

async function withDatabase<T>(
  place: DatabasePlace,
  run: (database: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> {
  const database = openDatabase(place, log);
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

async function moveData(
  from: DatabasePlace,
  to: DatabasePlace,
  overrides: Partial<Parameters<typeof moveServer>[0]> = {},
) {
  const input = { from, to, isResumed: false, now: () => NOW, onProgress() {}, ...overrides };
  const { tables } = await moveServer(input);
  return tables;
}

test("all data moves to PostgreSQL and back unchanged", ON_OWN_POSTGRES, async (t) => {
  const { postgres, file, copy, folder, back } = await setUp(t);
  const movedTables = await moveData(file, postgres);
  assert.equal(movedTables.find(({ table }) => table === "notification")?.rows, 300);
  assert.equal(movedTables.find(({ table }) => table === "feed_read")?.rows, 50);
  await withDatabase(postgres, async ({ db }) => {
    const { rows } = await sql<{ days: number }>`
      select count(distinct tableoid) as days from notification`.execute(db);
    assert.ok((rows[0]?.days ?? 0) >= 8, "each day has its partition");
  });
  const returnedTables = await moveData(postgres, copy);
  const withoutAuditLog = (tables: typeof movedTables) =>
    tables.filter(({ table }) => table !== "audit_event");
  assert.deepEqual(withoutAuditLog(returnedTables), withoutAuditLog(movedTables));
  // The first move added its own audit event after the comparison.
  const events = (tables: typeof movedTables) =>
    tables.find(({ table }) => table === "audit_event")?.rows;
  assert.equal(events(returnedTables), (events(movedTables) ?? 0) + 1);
  const accounts = (place: DatabasePlace) =>
    withDatabase(place, ({ db }) => db.selectFrom("account").selectAll().orderBy("id").execute());
  assert.deepEqual(await accounts(copy), await accounts(file));
  for (const place of [postgres, copy]) {
    assert.ok(await withDatabase(place, ({ db }) => refusesMails(db, "bob@example.org")));
  }
  for (const name of ["session-secret", "vapid.json"]) {
    assert.equal(
      await readFile(join(back, name), "utf8"),
      await readFile(join(folder, name), "utf8"),
    );
  }
});

test(
  "sealed values stay sealed during a move, and can be read on the other side",
  ON_OWN_POSTGRES,
  async (t) => {
    const { postgres, file, copy, folder, back } = await setUp(t);
    const masterKeys = { current: parseMasterKey(newMasterKeyText()), old: null, file: null };
    const vapid = generateVapidKeys();
    const secrets = { session: "s".repeat(43), vapid, isSealed: true };
    await writeFile(join(folder, "vapid.json"), JSON.stringify(vapid));
    const settings = (place: DatabasePlace, dataDir = "/nowhere") => {
      return { database: place, dataDir, masterKeys };
    };
    await rewrap({ config: settings(file, folder), now: () => NOW, onProgress() {} });
    const seal = createRowSeal({ secret: secrets.session, isSealing: true });
    const link = "https://push.example.org/invitation#token=abc";
    const mail = { purpose: "invitation", to: "ann@example.org", subject: "Hello" } as const;
    await withDatabase(file, async (database) => {
      const context = { ...contextOf(database, { now: () => NOW, log }), seal };
      await database.atomically([mailInsert(context, { ...mail, link, text: link })]);
    });
    const input = { isResumed: false, now: () => NOW, onProgress() {} };
    const { keyId } = await moveServer({ from: file, to: postgres, ...input });
    assert.equal(keyId, masterKeys.current.id);
    const check = (place: DatabasePlace, dataDir?: string) =>
      withDatabase(place, async (database) => {
        assert.deepEqual(await loadSecrets(settings(place, dataDir), database), secrets);
        const rows = await database.db
          .selectFrom("mail_message")
          .select(["id", "text", "link"])
          .execute();
        assert.deepEqual(
          rows.map((row) => openText({ seal }, row)),
          [{ text: link, link }],
        );
        assert.ok(rows.every((row) => !row.link.includes("token")));
      });
    await check(postgres);
    await moveData(postgres, copy);
    await check(copy, back);
  },
);

test(
  "an interrupted move can be resumed, and no server starts before it is finished",
  ON_OWN_POSTGRES,
  async (t) => {
    const { postgres, file } = await setUp(t);
    const onProgress = ({ table, rows }: { table: string; rows: number }) => {
      if (table === "notification" && rows > 100) throw new Error("The power fails.");
    };
    await assert.rejects(moveData(file, postgres, { onProgress }), /The power fails/);
    await withDatabase(postgres, (database) =>
      assert.rejects(refuseUnfinishedMove(database), /broken off/),
    );
    await assert.rejects(moveData(file, postgres), { code: "not_empty" });
    const copied: number[] = [];
    const tables = await moveData(file, postgres, {
      isResumed: true,
      onProgress: ({ phase, table, rows }) => {
        if (phase === "copy" && table === "notification") copied.push(rows);
      },
    });
    assert.ok((copied[0] ?? 0) > 100, "it begins where it was");
    assert.equal(tables.find(({ table }) => table === "notification")?.rows, 300);
    await withDatabase(postgres, (database) => refuseUnfinishedMove(database));
    await assert.rejects(moveData(file, postgres, { isResumed: true }), {
      code: "nothing_to_resume",
    });
  },
);

test("a target that is not empty is refused and left unchanged", ON_OWN_POSTGRES, async (t) => {
  const { postgres, file, copy, back } = await setUp(t);
  await moveData(file, postgres);
  await assert.rejects(moveData(file, postgres), { code: "not_empty" });
  await writeFile(join(back, "vapid.json"), "another");
  await assert.rejects(moveData(postgres, copy), { code: "other_secrets" });
  assert.equal(await readFile(join(back, "vapid.json"), "utf8"), "another");
});

test(
  "a value that differs after the copy is detected, and no server starts on the target",
  ON_OWN_POSTGRES,
  async (t) => {
    const { postgres, file } = await setUp(t);
    const onProgress = ({ phase }: { phase: string }) => {
      if (phase === "verify") throw new Error("The power fails.");
    };
    await assert.rejects(moveData(file, postgres, { onProgress }), /The power fails/);
    await withDatabase(postgres, ({ db }) =>
      db.updateTable("device").set({ name: "iphone" }).execute(),
    );
    await assert.rejects(moveData(file, postgres, { isResumed: true }), { code: "differs" });
    await withDatabase(postgres, (database) => assert.rejects(refuseUnfinishedMove(database)));
  },
);

test("a move is refused while a server runs on either side", ON_OWN_POSTGRES, async (t) => {
  const { postgres, file, folder, copy } = await setUp(t);
  const unlock = lockInstance(join(folder, "server.lock"));
  await assert.rejects(moveData(file, postgres), { code: "running" });
  unlock();
  await withDatabase(postgres, (database) =>
    beat(database, {
      id: "n1",
      role: "all",
      deadAfterMs: 8_000,
      countsFrom: 0,
      silentMaxMs: 4_000,
    }),
  );
  await assert.rejects(moveData(file, postgres), { code: "running" });
  await assert.rejects(moveData(postgres, copy), { code: "running" });
});

test("a database is shown without its password", () => {
  const url = "postgres://ann:hunter2@db.example:5433/tocsin?sslmode=require&password=hunter2";
  assert.equal(placeText({ kind: "postgres", url }), "postgres://ann@db.example:5433/tocsin");
});
