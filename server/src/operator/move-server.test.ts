import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { pino } from "pino";
import { insertNotifications, createNotification } from "../../test/support/notifications.ts";
import { createDatabase, ON_POSTGRES_WITH_CURRENT_SCHEMA } from "../../test/support/database.ts";
import { insertAccount, insertDevice } from "../../test/support/context.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { openDatabase, type DatabaseLocation } from "#database/open.ts";
import { migrate } from "#database/migration.ts";
import { refuseUnfinishedMove } from "#database/move/move.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { recordHeartbeat } from "#nodes/store.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { markRead } from "#notifications/feed/marks/store.ts";
import { toFeedWindows } from "#notifications/feed/windows.ts";
import { refuseMails, hasRefusedMails } from "#mail/store/refusals.ts";
import { insertMailQuery, unsealContent } from "#mail/store/outbox.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { generateMasterKeyText, parseMasterKey } from "#secrets/master-key.ts";
import { loadSecrets } from "#secrets/secrets.ts";
import { rewrap } from "./rewrap.ts";
import { moveServer } from "./move-server.ts";
import { createOperatorContext } from "./with-context.ts";

const NOW = Date.UTC(2026, 5, 1);
const NOTIFICATION_COUNT = 300;
const READ_COUNT = 50;
/** An interrupted move stops with the first batch that exceeds this number of notifications. */
const ROWS_BEFORE_FAILURE = 100;
/** The time between two notifications. All of them together span more than eight days. */
const NOTIFICATION_INTERVAL_MS = 40 * 60_000;
const DAY_COUNT_MIN = 8;
const log = pino({ level: "silent" });

/** Creates a data folder with rows in many tables, and an empty PostgreSQL database. */
async function setUp(t: TestContext) {
  const { location: postgres, acquire, release } = await createDatabase(t);
  acquire();
  t.after(release);
  const folder = await createTemporaryFolder(t);
  const returnFolder = await createTemporaryFolder(t);
  await writeFile(join(folder, "session-secret"), `${"s".repeat(43)}\n`);
  await writeFile(join(folder, "vapid.json"), `{"some":"key"}\n`);
  const file = { kind: "sqlite", path: join(folder, "tocsin.db") } as const;
  const returnFile = { kind: "sqlite", path: join(returnFolder, "tocsin.db") } as const;
  await withDatabase(file, async (database) => {
    await migrate(database);
    let time = NOW - 10 * 86_400_000;
    const now = () => (time += 1_000);
    const context = createOperatorContext(database, { now, log });
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
    const notifications = Array.from({ length: NOTIFICATION_COUNT }, (_, index) => {
      time += NOTIFICATION_INTERVAL_MS;
      return createNotification(context, accountId, {
        body: "x".repeat(index * 40),
        deviceCount: null,
      });
    });
    await insertNotifications(context, notifications);
    const readIds = notifications.slice(0, READ_COUNT).map(({ id }) => id);
    await markRead(context, {
      accountId,
      windows: toFeedWindows(accountId, []),
      selection: { ids: readIds },
    });
  });
  return { postgres, file, returnFile, folder, returnFolder };
}

async function withDatabase<T>(
  location: DatabaseLocation,
  run: (database: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> {
  const database = openDatabase(location, log);
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

async function moveData(
  from: DatabaseLocation,
  to: DatabaseLocation,
  overrides: Partial<Parameters<typeof moveServer>[0]> = {},
) {
  const input = { from, to, isResumed: false, now: () => NOW, onProgress() {}, ...overrides };
  const { tables } = await moveServer(input);
  return tables;
}

test(
  "all data moves to PostgreSQL and back unchanged",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const { postgres, file, returnFile, folder, returnFolder } = await setUp(t);
    const movedTables = await moveData(file, postgres);
    assert.equal(
      movedTables.find(({ table }) => table === "notification")?.rows,
      NOTIFICATION_COUNT,
    );
    assert.equal(movedTables.find(({ table }) => table === "feed_read")?.rows, READ_COUNT);
    await withDatabase(postgres, async ({ db }) => {
      const { rows } = await sql<{ days: number }>`
      select count(distinct tableoid) as days from notification`.execute(db);
      assert.ok((rows[0]?.days ?? 0) >= DAY_COUNT_MIN, "each day has a partition");
    });
    const returnedTables = await moveData(postgres, returnFile);
    const omitAuditLog = (tables: typeof movedTables) =>
      tables.filter(({ table }) => table !== "audit_event");
    assert.deepEqual(omitAuditLog(returnedTables), omitAuditLog(movedTables));
    // The first move added its own audit event after the comparison.
    const countEvents = (tables: typeof movedTables) =>
      tables.find(({ table }) => table === "audit_event")?.rows;
    assert.equal(countEvents(returnedTables), (countEvents(movedTables) ?? 0) + 1);
    const listAccounts = (location: DatabaseLocation) =>
      withDatabase(location, ({ db }) =>
        db.selectFrom("account").selectAll().orderBy("id").execute(),
      );
    assert.deepEqual(await listAccounts(returnFile), await listAccounts(file));
    for (const location of [postgres, returnFile]) {
      assert.ok(await withDatabase(location, ({ db }) => hasRefusedMails(db, "bob@example.org")));
    }
    for (const name of ["session-secret", "vapid.json"]) {
      assert.equal(
        await readFile(join(returnFolder, name), "utf8"),
        await readFile(join(folder, name), "utf8"),
      );
    }
  },
);

test(
  "sealed values stay sealed during a move, and can be read on the other side",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const { postgres, file, returnFile, folder, returnFolder } = await setUp(t);
    const masterKeys = { current: parseMasterKey(generateMasterKeyText()), old: null, file: null };
    const vapid = generateVapidKeys();
    const secrets = { session: "s".repeat(43), vapid, isSealed: true };
    await writeFile(join(folder, "vapid.json"), JSON.stringify(vapid));
    const createSettings = (location: DatabaseLocation, dataDir = "/nowhere") => {
      return { database: location, dataDir, masterKeys };
    };
    await rewrap({ config: createSettings(file, folder), now: () => NOW, onProgress() {} });
    const seal = createRowSeal({ secret: secrets.session, isSealing: true });
    const link = "https://push.example.org/invitation#token=abc";
    const mail = { purpose: "invitation", to: "ann@example.org", subject: "Hello" } as const;
    await withDatabase(file, async (database) => {
      const context = { ...createOperatorContext(database, { now: () => NOW, log }), seal };
      await database.atomically([insertMailQuery(context, { ...mail, link, text: link })]);
    });
    const input = { isResumed: false, now: () => NOW, onProgress() {} };
    const { keyId } = await moveServer({ from: file, to: postgres, ...input });
    assert.equal(keyId, masterKeys.current.id);
    const assertReadable = (location: DatabaseLocation, dataDir?: string) =>
      withDatabase(location, async (database) => {
        assert.deepEqual(await loadSecrets(createSettings(location, dataDir), database), secrets);
        const rows = await database.db
          .selectFrom("mail_message")
          .select(["id", "text", "link"])
          .execute();
        assert.deepEqual(
          rows.map((row) => unsealContent({ seal }, row)),
          [{ text: link, link }],
        );
        assert.ok(rows.every((row) => !row.link.includes("token")));
      });
    await assertReadable(postgres);
    await moveData(postgres, returnFile);
    await assertReadable(returnFile, returnFolder);
  },
);

test(
  "an interrupted move can be resumed, and no server starts before it is finished",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const { postgres, file } = await setUp(t);
    const onProgress = ({ table, rows }: { table: string; rows: number }) => {
      if (table === "notification" && rows > ROWS_BEFORE_FAILURE)
        throw new Error("The power fails.");
    };
    await assert.rejects(moveData(file, postgres, { onProgress }), /The power fails/);
    await withDatabase(postgres, (database) =>
      assert.rejects(refuseUnfinishedMove(database), /was interrupted/),
    );
    await assert.rejects(moveData(file, postgres), { code: "not_empty" });
    const copiedRows: number[] = [];
    const tables = await moveData(file, postgres, {
      isResumed: true,
      onProgress: ({ phase, table, rows }) => {
        if (phase === "copy" && table === "notification") copiedRows.push(rows);
      },
    });
    assert.ok((copiedRows[0] ?? 0) > ROWS_BEFORE_FAILURE, "the copy resumes after the last batch");
    assert.equal(tables.find(({ table }) => table === "notification")?.rows, NOTIFICATION_COUNT);
    await withDatabase(postgres, (database) => refuseUnfinishedMove(database));
    await assert.rejects(moveData(file, postgres, { isResumed: true }), {
      code: "nothing_to_resume",
    });
  },
);

test(
  "a target that is not empty is refused and left unchanged",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const { postgres, file, returnFile, returnFolder } = await setUp(t);
    await moveData(file, postgres);
    await assert.rejects(moveData(file, postgres), { code: "not_empty" });
    await writeFile(join(returnFolder, "vapid.json"), "another");
    await assert.rejects(moveData(postgres, returnFile), { code: "other_secrets" });
    assert.equal(await readFile(join(returnFolder, "vapid.json"), "utf8"), "another");
  },
);

test(
  "a value that differs after the copy is detected, and no server starts on the target",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
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

test(
  "a move is refused while a server runs on either side",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const { postgres, file, folder, returnFile } = await setUp(t);
    const unlock = lockInstance(join(folder, "server.lock"));
    await assert.rejects(moveData(file, postgres), { code: "running" });
    unlock();
    await withDatabase(postgres, (database) =>
      recordHeartbeat(database, {
        id: "n1",
        role: "all",
        deadAfterMs: 8_000,
        absenceCountsFromAt: 0,
        silenceMaxMs: 4_000,
      }),
    );
    await assert.rejects(moveData(file, postgres), { code: "running" });
    await assert.rejects(moveData(postgres, returnFile), { code: "running" });
  },
);
