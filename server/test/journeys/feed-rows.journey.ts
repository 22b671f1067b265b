import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { inspectPage, JOURNEY_SIZES } from "../support/console-inspection.ts";
import type { ConsolePage } from "../support/console-page.ts";
import {
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../support/console-fixture.ts";
import { fillFeed, type FeedContent } from "../support/fill-feed.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const DAY_MINUTES = 24 * 60;
/** Minimum number of whole rows on a screen 900 pixels high. */
const ROWS_MIN = 10;
const DESKTOP = { width: 1280, height: 900 };
/** A large desktop screen. */
const WIDE = { width: 1920, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Maximum empty width to the right of the feed. */
const UNUSED_WIDTH_MAX_PX = 64;

/** Signs Ann in with this browser as her only device and fills her feed, oldest first. */
async function openFeed(t: TestContext, browsers: PushBrowsers, items: readonly FeedContent[]) {
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(fixture.app.context, accountId, items);
  await ann.page.tab.goto(fixture.url);
  await ann.page.waitFor("article");
  return { fixture, ids, ...ann };
}

function createNumberedItems(count: number, content: FeedContent = {}): readonly FeedContent[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Number ${index + 1}`,
    body: "It went well, as on every other night. ".repeat(3),
    minutesAgo: count - index,
    ...content,
  }));
}

const TIMEOUTS: readonly FeedContent[] = Array.from({ length: 14 }, (_, index) => ({
  title: "nginx timed out",
  body: `Number ${index + 1}`,
  channel: "web",
  minutesAgo: 30 - index,
}));

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: repeats are one row that expands, and is read or deleted as one`, async (t) => {
    const items = [{ title: "Before", minutesAgo: 60 }, ...TIMEOUTS, { title: "After" }];
    const { page, client, ids } = await openFeed(t, await startBrowsers(t), items);
    assert.deepEqual(await readRowTitles(page), ["After", "nginx timed out", "Before"]);
    await page.press("14 times in a row");
    await page.tab.waitForFunction(`document.querySelectorAll("article").length === 16`);
    await page.press("14 times in a row");
    await page.tab.waitForFunction(`document.querySelectorAll("article").length === 3`);
    await page.press("Mark as read: nginx timed out");
    await page.waitUntilGone(`[data-notification="${ids[14]}"][data-unread]`);
    assert.equal((await client.feed.list({ channel: "web", unread: true })).items.length, 0);
    await page.press("Delete all 14: nginx timed out");
    await page.waitFor("::-p-text(14 notifications are deleted.)");
    await page.waitUntilGone(`[data-notification="${ids[14]}"]`);
    assert.equal((await client.feed.list({ channel: "web" })).items.length, 0);
    await page.press("Undo");
    await page.waitUntilGone("::-p-text(14 notifications are deleted.)");
    await page.waitFor(`[data-notification="${ids[14]}"]`);
    assert.equal((await client.feed.list({ channel: "web" })).items.length, 14);
    await page.tab.locator(`[data-notification="${ids[14]}"] a`).click();
    await page.waitFor(`[data-opened-notification="${ids[14]}"]`);
    await page.tab.waitForFunction(`document.querySelectorAll("[data-index]").length === 16`);
    assert.deepEqual(page.consoleErrors, []);
  });

  test(`${browserName}: a time-sensitive notification stays on top until it is read and another one is opened, and a newer one comes first`, async (t) => {
    const alarm = { title: "Disk full", timeSensitive: true, minutesAgo: 2 * DAY_MINUTES };
    const { page, ids, fixture, client } = await openFeed(t, await startBrowsers(t), [
      alarm,
      ...createNumberedItems(150),
    ]);
    await page.waitFor("article h2 ::-p-text(Time-sensitive)");
    assert.equal((await readRowTitles(page))[0], "Disk full");
    await page.tab.locator(`[data-notification="${ids[0]}"] a`).click();
    await page.waitFor("[data-opened-notification][data-read]");
    assert.equal((await readRowTitles(page))[0], "Disk full");
    await page.tab.keyboard.press("j");
    await page.waitFor(`[data-opened-notification="${ids.at(-1)}"]`);
    await page.tab.waitForFunction(
      `document.querySelector("article a").textContent !== "Disk full"`,
    );
    await client.feed.markUnread({ ids: [ids[0] ?? ""] });
    await page.waitFor("article h2 ::-p-text(Time-sensitive)");
    await sendNotifications(fixture, { page, client }, [
      { title: "Fire", body: "", timeSensitive: true },
    ]);
    await page.tab.waitForFunction(`document.querySelector("article a").textContent === "Fire"`);
    assert.deepEqual(page.consoleErrors, []);
  });

  test(`${browserName}: a desktop shows at least ten rows, and fewer in comfortable mode`, async (t) => {
    const { page, fixture } = await openFeed(t, await startBrowsers(t), createNumberedItems(40));
    await page.tab.setViewport(DESKTOP);
    const count = Number(await page.tab.evaluate(WHOLE_ROWS));
    t.diagnostic(`${count} whole rows`);
    assert.ok(count >= ROWS_MIN, `${count} rows`);
    assert.deepEqual(await page.tab.evaluate(ROWS_WITHOUT_LINE), []);
    await page.tab.goto(`${fixture.url}/settings`);
    await page.tab.locator("label ::-p-text(Comfortable)").click();
    await page.navigate("Notifications");
    await page.waitFor('[data-density="comfortable"] article');
    assert.ok(Number(await page.tab.evaluate(WHOLE_ROWS)) < count);
    assert.deepEqual(await page.tab.evaluate(ROWS_WITHOUT_LINE), []);
  });

  test(`${browserName}: rows show sender and day, and a channel has the same colour in every row`, async (t) => {
    const browsers = await startBrowsers(t);
    const items = [
      { title: "Last month", channel: "backup", minutesAgo: 30 * DAY_MINUTES },
      { title: "Three days ago", channel: "backup", minutesAgo: 3 * DAY_MINUTES },
      { title: "Yesterday", channel: "ci", minutesAgo: DAY_MINUTES },
    ];
    const { page, fixture, client } = await openFeed(t, browsers, items);
    await sendNotifications(fixture, { page, client }, [
      { title: "Now", body: "", channel: "backup" },
    ]);
    await page.waitFor("article ::-p-text(Now)");
    assert.match(await page.waitFor("article"), /Backup script/);
    const weekday = new Date(Date.now() - 3 * DAY_MINUTES * 60_000).toLocaleDateString("en", {
      weekday: "long",
    });
    const headings: unknown = await page.tab.$$eval("article h2", (elements) =>
      elements.map((element) => element.textContent),
    );
    assert.partialDeepStrictEqual(headings, ["Today", "Yesterday", weekday]);
    const colours: unknown = await page.tab.evaluate(COLOURS);
    const [now, ci, earlier, lastMonth] = colours as readonly string[];
    assert.deepEqual([earlier, lastMonth], [now, now]);
    assert.notEqual(ci, now);
  });
}

test("page titles have the same position on seven pages, and the feed fills the screen", async (t) => {
  const { page } = await openFeed(t, await PUSH_BROWSERS.Chromium(t), createNumberedItems(1));
  await page.tab.setViewport(WIDE);
  const positions = new Set<string>();
  for (const name of [
    "Devices",
    "Teams",
    "Send",
    "Sent",
    "API keys",
    "Activity",
    "Notifications",
  ]) {
    await page.navigate(name);
    await page.tab.waitForFunction(`document.querySelector("main h1")?.textContent === "${name}"`);
    positions.add(String(await page.tab.evaluate(TITLE_POSITION)));
  }
  assert.equal(positions.size, 1, [...positions].join(" and "));
  const unusedPx = Number(await page.tab.evaluate(UNUSED_WIDTH));
  assert.ok(unusedPx <= UNUSED_WIDTH_MAX_PX, `${unusedPx} px next to the feed`);
});

test("a swipe to the left deletes a row, with undo, and a swipe to the right marks it as read", async (t) => {
  const { page, client, ids } = await openFeed(
    t,
    await PUSH_BROWSERS.Chromium(t),
    createNumberedItems(3),
  );
  await page.tab.setViewport({ ...PHONE, hasTouch: true, isMobile: true });
  const [first = "", second = ""] = ids;
  await page.waitFor(`[data-notification="${second}"]`);
  await swipe(page, { id: second, distancePx: -40 });
  await swipe(page, { id: second, distancePx: -200 });
  await page.waitUntilGone(`[data-notification="${second}"]`);
  assert.deepEqual(await page.tab.$("[data-opened-notification]"), null);
  await page.press("Undo");
  await page.waitFor(`[data-notification="${second}"][data-unread]`);
  await swipe(page, { id: first, distancePx: 200 });
  await page.waitUntilGone(`[data-notification="${first}"][data-unread]`);
  assert.deepEqual(
    (await client.feed.list({ unread: true })).items.map(({ id }) => id),
    [ids[2], second],
  );
  assert.deepEqual(page.consoleErrors, []);
});

test("time-sensitive and repeated rows meet WCAG 2.2 A and AA", async (t) => {
  const alarm = { title: "Disk full", body: "db-1", channel: "ops", timeSensitive: true };
  const items = [
    ...createNumberedItems(8, { channel: "backup", minutesAgo: 3 * DAY_MINUTES }),
    ...TIMEOUTS,
    alarm,
  ];
  const { page } = await openFeed(t, await PUSH_BROWSERS.Chromium(t), items);
  for (const size of JOURNEY_SIZES) {
    await page.tab.setViewport(size);
    await page.waitFor('[aria-label="14 times in a row"]');
    assert.deepEqual(await inspectPage(page, { name: "feed-rows", size }), []);
  }
});

async function readRowTitles({ tab }: ConsolePage): Promise<readonly string[]> {
  return tab.$$eval("article[data-index] a", (links) =>
    links.map((link) => link.textContent ?? ""),
  );
}

interface Swipe {
  readonly id: string;
  /** Distance in pixels; negative to the left. */
  readonly distancePx: number;
}

/** Swipes a row horizontally with one finger. */
async function swipe({ tab }: ConsolePage, { id, distancePx }: Swipe): Promise<void> {
  const row = await tab.waitForSelector(`[data-notification="${id}"] a`);
  const { x = 0, y = 0, width = 0 } = (await row?.boundingBox()) ?? {};
  const startX = x + width / 2;
  const rowY = y + 10;
  const finger = await tab.touchscreen.touchStart(startX, rowY);
  for (let step = 1; step <= 5; step += 1)
    await finger.move(startX + (distancePx * step) / 5, rowY);
  await finger.end();
}

/** Evaluates to the position of the page's title, in pixels. */
const TITLE_POSITION = `(() => {
  const { left, top } = document.querySelector("main h1").getBoundingClientRect();
  return [Math.round(left), Math.round(top)].join();
})()`;

/** Evaluates to the empty width to the right of the feed, in pixels. */
const UNUSED_WIDTH = `innerWidth - document.querySelector("[data-feed] [data-width]").getBoundingClientRect().right`;

/** Evaluates to the number of rows that are entirely on screen. */
const WHOLE_ROWS = `[...document.querySelectorAll("article[data-index]")].filter((row) => {
  const { top, bottom } = row.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}).length`;

/** Evaluates to the texts of visible rows that have no line above them. */
const ROWS_WITHOUT_LINE = `[...document.querySelectorAll("article[data-index]")].filter((row) => {
  const box = row.querySelector("h2")?.nextElementSibling ?? row.firstElementChild;
  const { left, top, width } = box.getBoundingClientRect();
  if (top < 0 || top >= innerHeight) return false;
  const front = document.elementFromPoint(left + width / 2, top + 0.5);
  return parseFloat(getComputedStyle(box).borderTopWidth) === 0 || !box.contains(front);
}).map((row) => row.textContent)`;

/** Evaluates to the channel colour of each row. */
const COLOURS = `[...document.querySelectorAll("article [style*=channel-hue]")].map((mark) =>
  getComputedStyle(mark).backgroundColor)`;
