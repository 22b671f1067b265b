import assert from "node:assert/strict";
import test from "node:test";
import { insertNotifications, createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { markRead } from "./marks/store.ts";
import { listChannels, listFeed, type FeedFilter } from "./store.ts";
import { toFeedWindows } from "./windows.ts";

const ANN = "ann";
const ANY_ENTRY = { channel: null, isUnreadOnly: false, after: null, limit: 10 } as const;
const TO_TEAM = { audience: { kind: "team", teamId: "ops" } } as const;

/** Returns a filter for Ann's feed, with one membership period in the team "ops". */
function createFilterWith(period: { joinedAt: number; leftAt: number | null }): FeedFilter {
  const windows = toFeedWindows(ANN, [{ teamId: "ops", ...period }]);
  return { accountId: ANN, windows, ...ANY_ENTRY };
}

const ownFeed = { accountId: ANN, windows: toFeedWindows(ANN, []) };

test("a team's notifications from before joining or after leaving are not in the feed", async (t) => {
  const context = await createRoomContext(t);
  const notifications = [];
  for (let second = 0; second < 5; second += 1) {
    notifications.push(createNotification(context, ANN, { ...TO_TEAM, title: `${second}` }));
    context.clock.advance(1_000);
  }
  await insertNotifications(context, notifications);
  const [, secondAt, , fourthAt] = notifications.map(({ createdAt }) => createdAt);
  const entries = await listFeed(
    context,
    createFilterWith({ joinedAt: secondAt ?? 0, leftAt: fourthAt ?? 0 }),
  );
  assert.deepEqual(
    entries.map(({ notification }) => notification.title),
    ["2", "1"],
  );
});

test("own and team notifications are one list, newest first, in pages without gaps", async (t) => {
  const context = await createRoomContext(t);
  const notifications = Array.from({ length: 9 }, (_, index) =>
    createNotification(context, ANN, index % 3 === 0 ? TO_TEAM : {}),
  );
  await insertNotifications(context, notifications);
  const filter = createFilterWith({ joinedAt: context.now(), leftAt: null });
  const firstPage = await listFeed(context, { ...filter, limit: 4 });
  const lastSeenId = firstPage.at(-1)?.notification.id ?? "";
  const secondPage = await listFeed(context, { ...filter, after: lastSeenId });
  assert.deepEqual(
    [...firstPage, ...secondPage].map(({ notification }) => notification.id),
    notifications.map(({ id }) => id).toReversed(),
  );
});

test("a team's notification is in the feed of a member even if the clock was set back before it", async (t) => {
  const context = await createRoomContext(t);
  const notificationBeforeRollback = createNotification(context, ANN, TO_TEAM);
  context.clock.advance(-30 * 60_000);
  const notificationAfterRollback = createNotification(context, ANN, TO_TEAM);
  await insertNotifications(context, [notificationBeforeRollback, notificationAfterRollback]);
  const period = {
    joinedAt: notificationAfterRollback.createdAt - 1,
    leftAt: notificationAfterRollback.createdAt + 1,
  };
  const entries = await listFeed(context, createFilterWith(period));
  assert.deepEqual(
    entries.map(({ notification }) => notification.id),
    [notificationAfterRollback.id],
  );
});

test("a read mark keeps its time, and only feed entries are marked", async (t) => {
  const context = await createRoomContext(t);
  const annsNotification = createNotification(context, ANN);
  const bobsNotification = createNotification(context, "bob");
  await insertNotifications(context, [annsNotification, bobsNotification]);
  const selection = { ids: [annsNotification.id, bobsNotification.id, "never-was"] };
  await markRead(context, { ...ownFeed, selection });
  const readAt = context.now();
  context.clock.advance(1_000);
  await markRead(context, { ...ownFeed, selection });
  const marks = await context.database.db
    .selectFrom("feed_read")
    .select(["account_id", "notification_id", "read_at", "deleted_at"])
    .execute();
  const mark = {
    account_id: ANN,
    notification_id: annsNotification.id,
    read_at: readAt,
    deleted_at: null,
  };
  assert.deepEqual(marks, [mark]);
});

test("marking up to an entry marks it and all older ones, optionally in one channel", async (t) => {
  const context = await createRoomContext(t);
  const channels = ["feed", "ci", "feed", "ci"];
  const notifications = channels.map((channel) => createNotification(context, ANN, { channel }));
  await insertNotifications(context, notifications);
  const listUnreadIndexes = async () => {
    const entries = await listFeed(context, { ...ownFeed, ...ANY_ENTRY, isUnreadOnly: true });
    return entries.map(({ notification }) =>
      notifications.findIndex(({ id }) => id === notification.id),
    );
  };
  await markRead(context, {
    ...ownFeed,
    selection: { upTo: notifications[2]?.id ?? "", channel: "ci" },
  });
  assert.deepEqual(await listUnreadIndexes(), [3, 2, 0]);
  await markRead(context, {
    ...ownFeed,
    selection: { upTo: notifications[2]?.id ?? "", channel: null },
  });
  assert.deepEqual(await listUnreadIndexes(), [3]);
});

test("marking up to a notification that is not in the feed marks nothing", async (t) => {
  const context = await createRoomContext(t);
  const annsNotification = createNotification(context, ANN);
  const bobsNotification = createNotification(context, "bob");
  await insertNotifications(context, [annsNotification, bobsNotification]);
  for (const upTo of [bobsNotification.id, "zzz"]) {
    await markRead(context, { ...ownFeed, selection: { upTo, channel: null } });
  }
  await markRead(context, { ...ownFeed, selection: { ids: [] } });
  const [channel] = await listChannels(context, ownFeed);
  assert.deepEqual([channel?.unread, channel?.total], [1, 1]);
});

test("channels count the entries of all windows together", async (t) => {
  const context = await createRoomContext(t);
  const annsNotification = createNotification(context, ANN);
  context.clock.advance(1_000);
  const teamNotification = createNotification(context, ANN, TO_TEAM);
  const buildsNotification = createNotification(context, ANN, { ...TO_TEAM, channel: "ci" });
  await insertNotifications(context, [annsNotification, teamNotification, buildsNotification]);
  const { windows } = createFilterWith({ joinedAt: 0, leftAt: null });
  await markRead(context, { accountId: ANN, windows, selection: { ids: [annsNotification.id] } });
  assert.deepEqual(await listChannels(context, { accountId: ANN, windows }), [
    { name: "ci", unread: 1, total: 1, lastAt: buildsNotification.createdAt },
    { name: "feed", unread: 1, total: 2, lastAt: teamNotification.createdAt },
  ]);
});
