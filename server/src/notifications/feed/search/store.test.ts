import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { insertNotifications, createNotification } from "../../../../test/support/notifications.ts";
import { createRoomContext } from "../../../../test/support/context.ts";
import { toFeedWindows } from "../windows.ts";
import { searchFeed } from "./store.ts";
import { parseSearchWords } from "./words.ts";
import { startStealFreeTimer } from "../../../../test/support/steal-time.ts";

const ANN = "ann";
const OPS = { kind: "team", teamId: "ops" } as const;
const ANY_ENTRY = {
  accountId: ANN,
  channel: null,
  isUnreadOnly: false,
  after: null,
  limit: 10,
} as const;
const ownFeed = { ...ANY_ENTRY, windows: toFeedWindows(ANN, []), isTimeSensitiveOnly: false };
const SEARCH_MAX_MS = 1_000;

/** Creates a feed with these notifications, oldest first. `findTitles` searches it and returns the titles found. */
async function createFeed(
  t: TestContext,
  texts: readonly (readonly [title: string, body: string])[],
) {
  const context = await createRoomContext(t);
  const notifications = texts.map(([title, body]) =>
    createNotification(context, ANN, { title, body }),
  );
  await insertNotifications(context, notifications);
  const findTitles = async (text: string) => {
    const { entries } = await searchFeed(context, { ...ownFeed, words: parseSearchWords(text) });
    return entries.map(({ notification }) => notification.title);
  };
  return { context, findTitles };
}

test("a search finds all words in title or body, newest first, in any letter case", async (t) => {
  const { findTitles } = await createFeed(t, [
    ["Disk full", "db-1"],
    ["Backup", "to a DISK that is fuller"],
    ["Disk", "replaced"],
    ["GRÜSSE AUS КИЕВ", "é in one character"],
    ["e\u0301 in two", "ok"],
  ]);
  assert.deepEqual(await findTitles("disk FULL"), ["Backup", "Disk full"]);
  assert.deepEqual(await findTitles("киев grü"), ["GRÜSSE AUS КИЕВ"]);
  assert.deepEqual(await findTitles("É"), ["e\u0301 in two", "GRÜSSE AUS КИЕВ"]);
  assert.deepEqual(await findTitles("E IN"), ["e\u0301 in two", "GRÜSSE AUS КИЕВ"]);
  assert.deepEqual(await findTitles("disk nowhere"), []);
});

test("both databases find the same words", async (t) => {
  const { findTitles } = await createFeed(t, [
    ["ΟΔΟΣ", "a sigma at the end"],
    ["ΟΔΟΣΣ", "and within"],
    ["İzmir", "lower case has two characters"],
    ["\u212A", "a unit"],
    ["Straße", "sharp s"],
  ]);
  assert.deepEqual(await findTitles("οδος"), ["ΟΔΟΣ"]);
  assert.deepEqual(await findTitles("i̇ZMIR"), ["İzmir"]);
  assert.deepEqual(await findTitles("\u212A"), ["\u212A"]);
  assert.deepEqual(await findTitles("k"), []);
  assert.deepEqual(await findTitles("strasse"), []);
  assert.deepEqual(await findTitles("STRAßE"), ["Straße"]);
});

test("SQL wildcards and quotes are matched literally", async (t) => {
  const { findTitles } = await createFeed(t, [
    ["100 % done", ""],
    ["a_b", ""],
    ["back\\slash", ""],
    ["it's", '"quoted"'],
    ["axb 100", ""],
  ]);
  assert.deepEqual(await findTitles("%"), ["100 % done"]);
  assert.deepEqual(await findTitles("a_b"), ["a_b"]);
  assert.deepEqual(await findTitles("\\"), ["back\\slash"]);
  assert.deepEqual(await findTitles(`' "`), ["it's"]);
  assert.deepEqual(await findTitles("';drop"), []);
});

test("a search covers only the notifications that the account may see", async (t) => {
  const context = await createRoomContext(t);
  const notificationBefore = createNotification(context, ANN, {
    audience: OPS,
    title: "needle before",
  });
  context.clock.advance(1_000);
  const period = { teamId: "ops", joinedAt: context.now(), leftAt: context.now() + 1_000 };
  const notificationDuring = createNotification(context, ANN, {
    audience: OPS,
    title: "needle during",
  });
  context.clock.advance(1_000);
  const notificationAfter = createNotification(context, ANN, {
    audience: OPS,
    title: "needle after",
  });
  const bobsNotification = createNotification(context, "bob", { title: "needle of Bob" });
  await insertNotifications(context, [
    notificationBefore,
    notificationDuring,
    notificationAfter,
    bobsNotification,
  ]);
  const filter = { ...ownFeed, windows: toFeedWindows(ANN, [period]), words: ["needle"] };
  const { entries } = await searchFeed(context, filter);
  assert.deepEqual(
    entries.map(({ notification }) => notification.title),
    ["needle during"],
  );
});

test("pages of a search have no gap, and the last one has no cursor", async (t) => {
  const { context } = await createFeed(
    t,
    Array.from({ length: 2_500 }, (_, index) => [index % 500 === 0 ? "rare" : "usual", "x"]),
  );
  const pageSizes = [];
  let after: string | null = null;
  for (let pages = 0; pages < 3; pages += 1) {
    const page = await searchFeed(context, { ...ownFeed, words: ["rare"], after, limit: 2 });
    pageSizes.push(page.entries.length);
    after = page.nextAfter;
    if (after === null) break;
  }
  assert.deepEqual([pageSizes, after], [[2, 2, 1], null]);
});

test("a search that takes too long stops and returns where it continues", async (t) => {
  const { context } = await createFeed(
    t,
    Array.from({ length: 3_000 }, (_, index) => [index === 0 ? "rare" : "usual", "x"]),
  );
  // The clock advances by a quarter of a second with every reading.
  const slowContext = {
    ...context,
    elapsed: () => (context.clock.advance(250), context.clock.elapsed()),
  };
  const firstResult = await searchFeed(slowContext, { ...ownFeed, words: ["rare"] });
  assert.deepEqual(firstResult.entries, []);
  assert.notEqual(firstResult.nextAfter, null);
  const secondResult = await searchFeed(context, {
    ...ownFeed,
    words: ["rare"],
    after: firstResult.nextAfter,
  });
  assert.deepEqual([secondResult.entries.length, secondResult.nextAfter], [1, null]);
});

test("a search through 10,000 notifications takes less than a second, also with letters outside ASCII", async (t) => {
  const body = "Nightly backup of db-1 finished: 42 GB in 11 minutes, nothing to do. ".repeat(3);
  const { findTitles } = await createFeed(
    t,
    Array.from({ length: 10_000 }, (_, index) => [index === 0 ? "Needle Ü" : "Backup", body]),
  );
  for (const text of ["needle", "nEEDLE ü"]) {
    await findTitles(text);
    const getElapsedMs = startStealFreeTimer();
    assert.deepEqual(await findTitles(text), ["Needle Ü"]);
    const tookMs = getElapsedMs();
    assert.ok(tookMs < SEARCH_MAX_MS, `${text}: ${tookMs} ms`);
    t.diagnostic(`${text}: ${Math.round(tookMs)} ms`);
  }
});
