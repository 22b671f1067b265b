import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql, type CompiledQuery } from "kysely";
import { insertNotifications, createNotification } from "../../../test/support/notifications.ts";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import {
  updateStatistics,
  explainOnPostgres,
  recordQueries,
} from "../../../test/support/query-plans.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import type { Context } from "#context.ts";
import { toNotificationRow } from "#delivery/store/rows.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import type { Compilable } from "#database/database.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { findSentNotification, listSentNotifications } from "../log/store.ts";
import { deleteEntry, markRead, markUnreadByReadAt } from "./marks/store.ts";
import { searchFeed } from "./search/store.ts";
import { findEntry, listFeed } from "./store.ts";
import { toFeedWindows } from "./windows.ts";

const ANN = "ann";
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;
const NOTIFICATION_COUNT = 10_000;
/** The number of copies of the feed, each spread over about a hundred other accounts. */
const FEED_COPY_COUNT = 8;

/** Creates a database with 30 days of notifications to one account among others. */
async function createFullFeed(t: TestContext) {
  const context = await createRoomContext(t);
  const since = context.now();
  await prepareDays(context.database, { now: since + DAYS * DAY_MS, since });
  const notifications = Array.from({ length: NOTIFICATION_COUNT }, (_, index) => {
    // Every second time is odd: `copyToOtherAccounts` marks the entries with an even time as read.
    context.clock.advance((DAYS * DAY_MS) / NOTIFICATION_COUNT + (index % 2) * 2 - 1);
    return createNotification(context, ANN, { channel: index % 1_000 === 0 ? "rare" : "feed" });
  });
  await insertNotifications(context, notifications);
  for (let copyNumber = 0; copyNumber < FEED_COPY_COUNT; copyNumber += 1)
    await copyToOtherAccounts(context, copyNumber);
  await updateStatistics(context);
  const { context: recorded, captureQueries } = recordQueries(context);
  const explainQueries = async (act: () => Promise<unknown>) =>
    explainOnPostgres(context, await captureQueries(act));
  return { context: recorded, notifications, explainQueries };
}

/** A query for a thousand entries may sort all read marks of an account, which are half as many as its entries. */
const SORTED_ROWS_MAX = NOTIFICATION_COUNT / 2;

/** Copies the feed to other accounts, half of it read. The first call also marks half of the original as read. */
async function copyToOtherAccounts(
  { database: { db } }: Context,
  copyNumber: number,
): Promise<void> {
  // Replaces the last characters of the id. Its beginning, the time, determines the day's partition.
  const copyId = sql`overlay(id placing ${`xx${copyNumber}`} from 34)`;
  await sql`insert into notification
    select ${copyId}, audience_kind, ${`other ${copyNumber} `} || (random() * 100)::int, group_id, device_id, key_id,
      title, body, sound, channel, link, image, time_sensitive, created_at, expires_at, device_count
    from notification where audience_id = ${ANN}`.execute(db);
  const isCopy = sql`notification.id like ${`%xx${copyNumber}`} and audience_id <> ${ANN}`;
  await sql`insert into feed_entry
    select audience_id, id, channel, created_at from notification where ${isCopy}`.execute(db);
  await sql`insert into feed_read select audience_id, id, created_at, null
    from notification where (${isCopy} or (audience_id = ${ANN} and ${copyNumber} = 0))
      and created_at % 2 = 0`.execute(db);
}

type Plan = Awaited<ReturnType<Awaited<ReturnType<typeof createFullFeed>>["explainQueries"]>>;

/** Asserts that no table is scanned completely, at most half of the entries are sorted, and at most `pagesMax` pages are touched. */
function assertIndexed(plan: Plan, { name, pagesMax }: { name: string; pagesMax: number }): void {
  assert.notEqual(plan.length, 0, name);
  for (const step of plan) {
    if (step.kind === "Seq Scan")
      assert.ok(step.rows + step.removed <= 1, `${name}: ${step.table}`);
    if (step.kind.endsWith("Sort"))
      assert.ok(step.rows <= SORTED_ROWS_MAX, `${name}: ${step.kind}`);
  }
  const pages = Math.max(...plan.map((step) => step.pages));
  assert.ok(pages <= pagesMax, `${name} touches ${pages} pages`);
}

test("a page of a 30-day feed reads few days and sorts nothing", ON_POSTGRES, async (t) => {
  const { context, notifications, explainQueries } = await createFullFeed(t);
  const ownFeed = { accountId: ANN, windows: toFeedWindows(ANN, []) };
  const page = { ...ownFeed, channel: null, isUnreadOnly: false, after: null, limit: 51 };
  for (const after of [null, notifications[5_000]?.id ?? ""]) {
    for (const channel of [null, "feed"]) {
      const plan = await explainQueries(() => listFeed(context, { ...page, after, channel }));
      assertIndexed(plan, { name: "page", pagesMax: 300 });
      assert.doesNotMatch(plan.map(({ kind }) => kind).join(), /Sort|Merge Append|Hash/);
      const scans = plan.filter(({ table, loops }) => table?.startsWith("feed_entry") && loops > 0);
      const nonEmptyScans = scans.filter(({ rows }) => rows > 0);
      assert.ok(nonEmptyScans.length <= 2, `${nonEmptyScans.length} days`);
      // The empty partitions of the coming days are scanned as well.
      assert.ok(scans.length <= 10, `${scans.length} partitions`);
    }
  }
});

test(
  "no query on a 30-day feed scans a whole table, or sorts more than half of the entries",
  ON_POSTGRES,
  async (t) => {
    const { context, notifications, explainQueries } = await createFullFeed(t);
    const from = notifications[100]?.createdAt ?? 0;
    const team = { teamId: "ops", joinedAt: from, leftAt: from + 10_000 };
    const reader = { accountId: ANN, windows: toFeedWindows(ANN, [team]) };
    const firstPage = { ...reader, channel: null, isUnreadOnly: false, after: null, limit: 51 };
    const search = { ...firstPage, words: [], isTimeSensitiveOnly: false };
    const after = notifications[5_000]?.id ?? "";
    const audienceIds = [ANN, "ops"];
    const ids = notifications.slice(0, 1_000).map(({ id }) => id);
    const actions: Record<string, readonly [pagesMax: number, act: () => Promise<unknown>]> = {
      "first page": [400, () => listFeed(context, firstPage)],
      "later page": [400, () => listFeed(context, { ...firstPage, after })],
      channel: [400, () => listFeed(context, { ...firstPage, channel: "rare", after })],
      unread: [400, () => listFeed(context, { ...firstPage, isUnreadOnly: true })],
      search: [8_000, () => searchFeed(context, { ...search, words: ["world", "ü"] })],
      "time-sensitive": [
        8_000,
        () => searchFeed(context, { ...search, isTimeSensitiveOnly: true }),
      ],
      "unread again": [400, () => markUnreadByReadAt(context, { accountId: ANN, readAt: from })],
      "one entry": [30, () => findEntry(context, { ...reader, id: after })],
      "delete one": [30, () => deleteEntry(context, { ...reader, id: after })],
      "mark ids": [20_000, () => markRead(context, { ...reader, selection: { ids } })],
      "sent notifications": [
        400,
        () => listSentNotifications(context, { audienceIds, after, limit: 51 }),
      ],
      "one that was sent": [10, () => findSentNotification(context, { id: after, audienceIds })],
    };
    for (const [name, [pagesMax, act]] of Object.entries(actions)) {
      const plan = await explainQueries(act);
      t.diagnostic(
        `${name}: ${Math.max(...plan.map((step) => step.pages))} pages, ${plan.length} steps`,
      );
      assertIndexed(plan, { name, pagesMax });
    }
  },
);

test(
  "an insertion of a notification after 90,000 others touches at most 30 pages",
  ON_POSTGRES,
  async (t) => {
    const { context } = await createFullFeed(t);
    const row = toNotificationRow(createNotification(context, ANN));
    const insert = context.database.db.insertInto("notification").values(row).compile();
    const [step] = await explainOnPostgres(context, [insert]);
    assert.ok((step?.pages ?? Infinity) <= 30, `${step?.pages} pages`);
  },
);

test("settlements read only the days of their notifications", ON_POSTGRES, async (t) => {
  const { context, notifications } = await createFullFeed(t);
  const acceptance = {
    provider: "apns",
    state: "accepted",
    code: "accepted",
    detail: null,
  } as const;
  const results = [{ deviceId: "d1", ...acceptance, attempts: 1, at: context.now() }];
  const lease = { jobId: "j", epoch: 1, until: 0 };
  const compiledQueries: CompiledQuery[] = [];
  const recording = { ...context, database: { ...context.database, atomically: record } };
  async function record(queries: readonly Compilable[]) {
    compiledQueries.push(...queries.map((query) => query.compile()));
    return context.database.atomically(queries);
  }
  const next = { kind: "done" } as const;
  const store = createDeliveryStore(recording, "node");
  const ids = notifications.slice(-10, -8).map(({ id }) => id);
  await store.settle(
    ids.map((notificationId) => ({
      id: notificationId,
      lease,
      notificationId,
      results,
      deviceStateUpdate: null,
      next,
    })),
  );
  const plan = await explainOnPostgres(context, compiledQueries);
  const days = plan.flatMap(({ table }) =>
    table?.startsWith("notification_") === true ? table : [],
  );
  assert.equal(new Set(days).size, 1, days.join());
});
