import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { CompiledQuery, Kysely } from "kysely";
import { insertNotifications, createNotification } from "../../../test/support/notifications.ts";
import { ON_SQLITE } from "../../../test/support/database.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Context } from "#context.ts";
import { openSqlite } from "#database/database.ts";
import { createSqliteDialect } from "#database/sqlite.ts";
import { SqliteThread } from "#database/sqlite-thread.ts";
import { migrate } from "#database/migration.ts";
import type { Schema } from "#database/schema.ts";
import { findSentNotification, listSentNotifications } from "../log/store.ts";
import { deleteEntry, markRead, markUnreadByReadAt } from "./marks/store.ts";
import { searchFeed } from "./search/store.ts";
import { findEntry, listChannels, listFeed, removeFromFeedsQueries } from "./store.ts";
import { toFeedWindows } from "./windows.ts";
import { startStealFreeTimer } from "../../../test/support/steal-time.ts";

const ANN = "ann";
const NOTIFICATION_COUNT = 10_000;
const PAGE_MAX_MS = 1_000;

/** Creates a database with 10,000 notifications to one account, whose statements can be explained. */
async function createFullFeed(t: TestContext) {
  const { clock, ...rest } = await createRoomContext(t);
  const path = join(await createTemporaryFolder(t), "tocsin.db");
  const database = openSqlite(path);
  await migrate(database);
  await database.close();
  const thread = new SqliteThread(path);
  const queries: CompiledQuery[] = [];
  const dialect = createSqliteDialect(thread);
  const db = new Kysely<Schema>({ dialect, log: ({ query }) => void queries.push(query) });
  t.after(() => db.destroy());
  const context: Context = { ...rest, database: { ...rest.database, db, atomically } };
  async function atomically(queries: Parameters<Context["database"]["atomically"]>[0]) {
    const results = [];
    for (const query of queries) results.push(await db.executeQuery(query.compile()));
    return results;
  }
  const notifications = Array.from({ length: NOTIFICATION_COUNT }, (_, index) => {
    clock.advance(1_000);
    return createNotification(context, ANN, { channel: index % 1_000 === 0 ? "rare" : "feed" });
  });
  await insertNotifications(context, notifications);
  return {
    context,
    notifications,
    explainQueries: (act: () => Promise<unknown>) => explainQueriesOf({ db, queries }, act),
  };
}

/** Returns SQLite's query plan for every statement of an action. */
async function explainQueriesOf(
  { db, queries }: { readonly db: Kysely<Schema>; readonly queries: CompiledQuery[] },
  act: () => Promise<unknown>,
): Promise<readonly string[]> {
  queries.length = 0;
  await act();
  const plans = [...queries].map(({ sql, parameters }) =>
    db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    ),
  );
  return (await Promise.all(plans)).flatMap(({ rows }) => rows.map(({ detail }) => detail));
}

/** Asserts that every table is searched with an index, and that nothing is sorted. */
function assertIndexed(plan: readonly string[], name: string): void {
  assert.notEqual(plan.length, 0, name);
  for (const step of plan)
    assert.doesNotMatch(step, /^SCAN (?!CONSTANT|\d+-ROW VALUES)|TEMP B-TREE/, name);
}

test("no query on a feed of 10,000 notifications scans a table or sorts", ON_SQLITE, async (t) => {
  const { context, notifications, explainQueries } = await createFullFeed(t);
  const from = notifications[100]?.createdAt ?? 0;
  const team = { teamId: "ops", joinedAt: from, leftAt: from + 10_000 };
  const reader = { accountId: ANN, windows: toFeedWindows(ANN, [team]) };
  const firstPage = { ...reader, channel: null, isUnreadOnly: false, after: null, limit: 51 };
  const search = { ...firstPage, words: [], isTimeSensitiveOnly: false };
  const after = notifications[5_000]?.id ?? "";
  const audienceIds = [ANN, "ops"];
  const ids = notifications.slice(0, 1_000).map(({ id }) => id);
  const actions = {
    "first page": () => listFeed(context, firstPage),
    "later page": () => listFeed(context, { ...firstPage, after }),
    channel: () => listFeed(context, { ...firstPage, channel: "rare", after }),
    unread: () => listFeed(context, { ...firstPage, isUnreadOnly: true }),
    "unread of a channel": () =>
      listFeed(context, { ...firstPage, channel: "rare", isUnreadOnly: true }),
    // An index groups the entries of the account. Those of a membership period would be sorted.
    channels: () => listChannels(context, { accountId: ANN, windows: toFeedWindows(ANN, []) }),
    search: () => searchFeed(context, { ...search, words: ["world", "ü"] }),
    "time-sensitive": () => searchFeed(context, { ...search, isTimeSensitiveOnly: true }),
    "unread again": () => markUnreadByReadAt(context, { accountId: ANN, readAt: from }),
    "one entry": () => findEntry(context, { ...reader, id: after }),
    "delete one": () => deleteEntry(context, { ...reader, id: after }),
    "mark ids": () => markRead(context, { ...reader, selection: { ids } }),
    "mark up to": () =>
      markRead(context, { ...reader, selection: { upTo: after, channel: "rare" } }),
    "remove old ones": () =>
      context.database.atomically(
        removeFromFeedsQueries(context, [
          { id: after, audienceId: ANN },
          { id: after, audienceId: "ops" },
        ]),
      ),
    "sent notifications": () => listSentNotifications(context, { audienceIds, after, limit: 51 }),
    "one that was sent": () => findSentNotification(context, { id: after, audienceIds }),
  };
  for (const [name, act] of Object.entries(actions)) assertIndexed(await explainQueries(act), name);
  // The entries of an old membership period are found by an index range, without reading all entries since.
  assert.match(
    (await explainQueries(actions["first page"])).join("\n"),
    /notification_id>\? AND notification_id<\?/,
  );
});

test(
  "a rare channel and the last unread of 10,000 are found within a second",
  ON_SQLITE,
  async (t) => {
    const { context, notifications } = await createFullFeed(t);
    const ownFeed = { accountId: ANN, windows: toFeedWindows(ANN, []) };
    const firstPage = { ...ownFeed, channel: null, isUnreadOnly: false, after: null, limit: 51 };
    const getRareMs = startStealFreeTimer();
    const rareEntries = await listFeed(context, { ...firstPage, channel: "rare" });
    assert.ok(getRareMs() < PAGE_MAX_MS);
    assert.equal(rareEntries.length, NOTIFICATION_COUNT / 1_000);
    await markRead(context, {
      ...ownFeed,
      selection: { upTo: notifications.at(-1)?.id ?? "", channel: null },
    });
    await context.database.db
      .deleteFrom("feed_read")
      .where("notification_id", "=", notifications[0]?.id ?? "")
      .execute();
    const getUnreadMs = startStealFreeTimer();
    const unread = await listFeed(context, { ...firstPage, isUnreadOnly: true });
    assert.ok(getUnreadMs() < PAGE_MAX_MS);
    assert.deepEqual(
      unread.map(({ notification }) => notification.id),
      [notifications[0]?.id],
    );
    t.diagnostic(`${Math.round(getUnreadMs())} ms`);
  },
);
