import assert from "node:assert/strict";
import test from "node:test";
import { insertNotifications, createNotification } from "../../../test/support/notifications.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { insertAccount, createRoomContext } from "../../../test/support/context.ts";
import { OPERATOR } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import { createPrunes } from "#composition/prunes.ts";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { markRead } from "../feed/marks/store.ts";
import { toFeedWindows } from "../feed/windows.ts";
import { Retention, type PruneFunction } from "./retention.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const ANN = "ann";

function createRetention(context: Context, getRetentionDays: () => Promise<number>): Retention {
  return new Retention({
    context,
    provenTime: context,
    getRetentionDays,
    prunes: createPrunes(getRetentionDays),
  });
}

const TABLES = ["notification", "feed_entry", "feed_read", "delivery_page", "idempotency"] as const;
type Table = (typeof TABLES)[number];

/** Returns the number of rows in each of these tables. */
async function countRows<Name extends Table>(
  { database: { db } }: Context,
  tables: readonly Name[],
): Promise<Record<Name, number>> {
  const counts = await Promise.all(
    tables.map(async (table) => {
      const name: Table = table;
      const row = await db
        .selectFrom(name)
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return [table, row.count] as const;
    }),
  );
  return Object.fromEntries(counts) as Record<Name, number>; // It has every table.
}

const FEED_TABLES = ["notification", "feed_entry", "feed_read"] as const;

/** Accepts a notification with a job for one device, and settles it if requested. */
async function accept(
  context: Context,
  { notification, isSettled }: { notification: NewNotification; isSettled: boolean },
): Promise<void> {
  const store = createDeliveryStore(context, "node");
  const device = {
    deviceId: "d1",
    attempts: 0,
    tries: 0,
    crashes: 0,
    waitsFor: null,
    runAt: 0,
    code: null,
    detail: null,
  };
  const work = { kind: "devices", pending: [device] } as const;
  const idempotency = { keyId: "k", keyHash: notification.id, contentHash: "" };
  const request = { notification, lane: 0, work, idempotency, takeLease: true } as const;
  const [accepted] = await store.accept([request]);
  const lease = accepted?.kind === "accepted" ? accepted.job?.lease : undefined;
  if (!isSettled || lease === undefined) return;
  const { id: notificationId } = notification;
  const acceptance = {
    provider: "webpush",
    state: "accepted",
    code: "accepted",
    detail: null,
  } as const;
  const result = { deviceId: "d1", ...acceptance, attempts: 1, at: context.now() };
  const next = { kind: "done" } as const;
  await store.settle([
    {
      id: context.newId(),
      lease,
      notificationId,
      results: [result],
      deviceStateUpdate: null,
      next,
    },
  ]);
}

test("a notification is deleted with all its rows after 30 days, and not a minute earlier", async (t) => {
  const context = await createRoomContext(t);
  const retention = createRetention(context, async () => 30);
  const notification = createNotification(context, ANN);
  await accept(context, { notification, isSettled: true });
  await insertFeedEntry(context, notification);
  context.clock.advance(30 * DAY_MS - 60_000);
  await retention.prune();
  // Idempotency keys are kept only for a day.
  assert.deepEqual(await countRows(context, TABLES), {
    notification: 1,
    feed_entry: 1,
    feed_read: 1,
    delivery_page: 1,
    idempotency: 0,
  });
  context.clock.advance(60_001);
  await retention.prune();
  assert.deepEqual(new Set(Object.values(await countRows(context, TABLES))), new Set([0]));
});

test("an idempotency key is kept for a day and a minute", async (t) => {
  const context = await createRoomContext(t);
  const retention = createRetention(context, async () => 30);
  await accept(context, { notification: createNotification(context, ANN), isSettled: true });
  context.clock.advance(DAY_MS + 60_000);
  await retention.prune();
  assert.deepEqual(await countRows(context, ["idempotency"]), { idempotency: 1 });
  context.clock.advance(1);
  await retention.prune();
  assert.deepEqual(await countRows(context, ["idempotency"]), { idempotency: 0 });
});

test("an old notification with unfinished work is kept until the work is done", async (t) => {
  const context = await createRoomContext(t);
  const retention = createRetention(context, async () => 1);
  const notification = createNotification(context, ANN);
  await accept(context, { notification, isSettled: false });
  await insertFeedEntry(context, notification);
  context.clock.advance(400 * DAY_MS);
  await retention.prune();
  assert.deepEqual(new Set(Object.values(await countRows(context, FEED_TABLES))), new Set([1]));
  await context.database.db.deleteFrom("send_job").execute();
  await retention.prune();
  assert.deepEqual(new Set(Object.values(await countRows(context, FEED_TABLES))), new Set([0]));
});

test("one run deletes several batches and keeps new notifications", async (t) => {
  const context = await createRoomContext(t);
  const retention = createRetention(context, async () => 30);
  const oldNotifications = Array.from({ length: 1_200 }, () => createNotification(context, ANN));
  context.clock.advance(30 * DAY_MS + 1);
  const newNotification = createNotification(context, ANN);
  await insertNotifications(context, [...oldNotifications, newNotification]);
  await retention.prune();
  const rows = await context.database.db
    .selectFrom("feed_entry")
    .select("notification_id")
    .execute();
  assert.deepEqual(rows, [{ notification_id: newNotification.id }]);
  assert.deepEqual(await countRows(context, ["notification"]), { notification: 1 });
});

test("retention prunes when it starts, and waits for the prune when it stops", async (t) => {
  const context = await createRoomContext(t);
  await insertNotifications(context, [createNotification(context, ANN)]);
  context.clock.advance(31 * DAY_MS);
  const retention = createRetention(context, async () => 30);
  retention.start();
  await retention.stop();
  assert.deepEqual(await countRows(context, ["notification", "feed_entry"]), {
    notification: 0,
    feed_entry: 0,
  });
});

/** Stores the feed entry of an accepted notification, and marks it as read. */
async function insertFeedEntry(context: Context, notification: NewNotification): Promise<void> {
  const { id: notification_id, channel, createdAt: created_at } = notification;
  const entry = { audience_id: ANN, notification_id, channel, created_at };
  await context.database.db.insertInto("feed_entry").values(entry).execute();
  const selection = { ids: [notification_id] };
  await markRead(context, {
    accountId: ANN,
    windows: toFeedWindows(ANN, []),
    selection,
  });
}

test("invitations are deleted 30 days after they expire", async (t) => {
  const context = await createRoomContext(t);
  const { database, clock } = context;
  const accountId = await insertAccount(context);
  const teamId = context.newId();
  await database.db.insertInto("team").values({ id: teamId, name: "Ops", created_at: 0 }).execute();
  const invite = (email: string, ended: object) =>
    database.db
      .insertInto("invitation")
      .values({
        id: context.newId(),
        team_id: teamId,
        email,
        invited_by: accountId,
        token_hash: email,
        mail_token_hash: `mail ${email}`,
        created_at: clock.now(),
        expires_at: clock.now() + 7 * DAY_MS,
        mailed_at: null,
        accepted_at: null,
        declined_at: null,
        revoked_at: null,
        ...ended,
      })
      .execute();
  await invite("ann@example.org", { accepted_at: clock.now() });
  await invite("ben@example.org", {});
  clock.advance(DAY_MS);
  await invite("eve@example.org", {});
  const remainingEmails = async () => {
    await createRetention(context, async () => 30).prune();
    const rows = await database.db.selectFrom("invitation").select("email").execute();
    return rows.map(({ email }) => email);
  };
  clock.advance(35 * DAY_MS);
  assert.equal((await remainingEmails()).length, 3);
  clock.advance(DAY_MS + 1);
  assert.deepEqual(await remainingEmails(), ["eve@example.org"]);
});

test("the audit log is chained even if another prune fails", async (t) => {
  const context = await createRoomContext(t);
  const event = { action: "backup_made", actor: OPERATOR, accountId: null } as const;
  await context.database.atomically([insertEventQuery(context, event)]);
  context.clock.advance(2 * DAY_MS);
  const retention = createRetention(context, async () => {
    throw new Error("The settings cannot be read.");
  });
  retention.start();
  const listSeals = () => context.database.db.selectFrom("audit_seal").select("day").execute();
  await eventually(listSeals, (found) => found.length === 1);
  await retention.stop();
});

test("a failing prune does not stop the others, which continue until a batch is not full", async (t) => {
  const context = await createRoomContext(t);
  const limits: number[] = [];
  const prunes: readonly PruneFunction[] = [
    () => Promise.reject(new Error("This table cannot be written.")),
    async (_context, limit) => {
      limits.push(limit);
      return limits.length < 3 ? limit : 0;
    },
  ];
  const getRetentionDays = async () => 30;
  await new Retention({ context, provenTime: context, getRetentionDays, prunes }).prune();
  assert.equal(limits.length, 3);
});
