import assert from "node:assert/strict";
import test from "node:test";
import { insertNotifications, notificationTo } from "../../../test/support/notifications.ts";
import { testContext } from "../../../test/support/room.ts";
import { markRead } from "./marks/store.ts";
import { listChannels, listFeed, type FeedFilter } from "./store.ts";
import { windowsOf } from "./windows.ts";

const ANN = "ann";
const ALL = { channel: null, isUnreadOnly: false, after: null, limit: 10 } as const;
const TEAM = { audience: { kind: "team", teamId: "ops" } } as const;

/** Returns a filter for Ann's feed, with one stay in the team "ops". */
function filterWith(stay: { joinedAt: number; leftAt: number | null }): FeedFilter {
  const windows = windowsOf(ANN, [{ teamId: "ops", ...stay }]);
  return { accountId: ANN, windows, ...ALL };
}

const ownFeed = { accountId: ANN, windows: windowsOf(ANN, []) };

test("a team's notifications from before joining or after leaving are not in the feed", async (t) => {
  const context = await testContext(t);
  const sent = [];
  for (let second = 0; second < 5; second += 1) {
    sent.push(notificationTo(context, ANN, { ...TEAM, title: `${second}` }));
    context.clock.advance(1_000);
  }
  await insertNotifications(context, sent);
  const [, second, , fourth] = sent.map(({ createdAt }) => createdAt);
  const entries = await listFeed(
    context,
    filterWith({ joinedAt: second ?? 0, leftAt: fourth ?? 0 }),
  );
  assert.deepEqual(
    entries.map(({ notification }) => notification.title),
    ["2", "1"],
  );
});

test("own and team notifications are one list, newest first, in pages without gaps", async (t) => {
  const context = await testContext(t);
  const sent = Array.from({ length: 9 }, (_, index) =>
    notificationTo(context, ANN, index % 3 === 0 ? TEAM : {}),
  );
  await insertNotifications(context, sent);
  const filter = filterWith({ joinedAt: context.now(), leftAt: null });
  const first = await listFeed(context, { ...filter, limit: 4 });
  const after = first.at(-1)?.notification.id ?? "";
  const rest = await listFeed(context, { ...filter, after });
  assert.deepEqual(
    [...first, ...rest].map(({ notification }) => notification.id),
    sent.map(({ id }) => id).toReversed(),
  );
});

test("notifications of a team stay remain visible if the clock is set back", async (t) => {
  const context = await testContext(t);
  const ahead = notificationTo(context, ANN, TEAM);
  context.clock.advance(-30 * 60_000);
  const behind = notificationTo(context, ANN, TEAM);
  await insertNotifications(context, [ahead, behind]);
  const stay = { joinedAt: behind.createdAt - 1, leftAt: behind.createdAt + 1 };
  const entries = await listFeed(context, filterWith(stay));
  assert.deepEqual(
    entries.map(({ notification }) => notification.id),
    [behind.id],
  );
});

test("a read mark keeps its time, and only feed entries are marked", async (t) => {
  const context = await testContext(t);
  const [mine, bobs] = [notificationTo(context, ANN), notificationTo(context, "bob")];
  await insertNotifications(context, [mine, bobs]);
  const which = { ids: [mine.id, bobs.id, "never-was"] };
  await markRead(context, { ...ownFeed, which });
  const readAt = context.now();
  context.clock.advance(1_000);
  await markRead(context, { ...ownFeed, which });
  const marks = await context.database.db
    .selectFrom("feed_read")
    .select(["account_id", "notification_id", "read_at", "deleted_at"])
    .execute();
  const mark = { account_id: ANN, notification_id: mine.id, read_at: readAt, deleted_at: null };
  assert.deepEqual(marks, [mark]);
});

test("marking up to an entry marks it and all older ones, optionally in one channel", async (t) => {
  const context = await testContext(t);
  const channels = ["feed", "ci", "feed", "ci"];
  const sent = channels.map((channel) => notificationTo(context, ANN, { channel }));
  await insertNotifications(context, sent);
  const unread = async () => {
    const entries = await listFeed(context, { ...ownFeed, ...ALL, isUnreadOnly: true });
    return entries.map(({ notification }) => sent.findIndex(({ id }) => id === notification.id));
  };
  await markRead(context, { ...ownFeed, which: { upTo: sent[2]?.id ?? "", channel: "ci" } });
  assert.deepEqual(await unread(), [3, 2, 0]);
  await markRead(context, { ...ownFeed, which: { upTo: sent[2]?.id ?? "", channel: null } });
  assert.deepEqual(await unread(), [3]);
});

test("marking up to a notification that is not in the feed marks nothing", async (t) => {
  const context = await testContext(t);
  const mine = notificationTo(context, ANN);
  const bobs = notificationTo(context, "bob");
  await insertNotifications(context, [mine, bobs]);
  for (const upTo of [bobs.id, "zzz"]) {
    await markRead(context, { ...ownFeed, which: { upTo, channel: null } });
  }
  await markRead(context, { ...ownFeed, which: { ids: [] } });
  const [channel] = await listChannels(context, ownFeed);
  assert.deepEqual([channel?.unread, channel?.total], [1, 1]);
});

test("channels count all windows together", async (t) => {
  const context = await testContext(t);
  const mine = notificationTo(context, ANN);
  context.clock.advance(1_000);
  const teams = notificationTo(context, ANN, TEAM);
  const builds = notificationTo(context, ANN, { ...TEAM, channel: "ci" });
  await insertNotifications(context, [mine, teams, builds]);
  const { windows } = filterWith({ joinedAt: 0, leftAt: null });
  await markRead(context, { accountId: ANN, windows, which: { ids: [mine.id] } });
  assert.deepEqual(await listChannels(context, { accountId: ANN, windows }), [
    { name: "ci", unread: 1, total: 1, lastAt: builds.createdAt },
    { name: "feed", unread: 1, total: 2, lastAt: teams.createdAt },
  ]);
});
