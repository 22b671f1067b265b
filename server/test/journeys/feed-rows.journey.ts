import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { examine, SIZES } from "../support/console-look.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { sendAll, setUp, startStage, turnOn } from "../support/console-stage.ts";
import { fillFeed, type Said } from "../support/feed.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const DAY = 24 * 60;
/** The least that a screen of 900 pixels shows at once. */
const ROWS_MIN = 10;
const DESKTOP = { width: 1280, height: 900 };
/** As a large screen has it. */
const WIDE = { width: 1920, height: 900 };
const PHONE = { width: 390, height: 844 };

/** A person whose only device this browser is, and whose feed holds this, oldest first. */
async function feedOf(t: TestContext, browsers: PushBrowsers, said: readonly Said[]) {
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await turnOn(ann);
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(stage.app.context, accountId, said);
  await ann.page.page.goto(stage.url);
  await ann.page.see("article");
  return { stage, ids, ...ann };
}

function numbered(count: number, given: Said = {}): readonly Said[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Number ${index + 1}`,
    body: "It went well, as on every other night. ".repeat(3),
    minutesAgo: count - index,
    ...given,
  }));
}

const TIMEOUTS: readonly Said[] = Array.from({ length: 14 }, (_, index) => ({
  title: "nginx timed out",
  body: `Number ${index + 1}`,
  channel: "web",
  minutesAgo: 30 - index,
}));

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make}: what repeats is one row; opening it shows all, and one press reads or deletes all`, async (t) => {
    const said = [{ title: "Before", minutesAgo: 60 }, ...TIMEOUTS, { title: "After" }];
    const { page, client, ids } = await feedOf(t, await startBrowsers(t), said);
    assert.deepEqual(await titles(page), ["After", "nginx timed out", "Before"]);
    await page.press("14 times in a row");
    await page.page.waitForFunction(`document.querySelectorAll("article").length === 16`);
    await page.press("14 times in a row");
    await page.page.waitForFunction(`document.querySelectorAll("article").length === 3`);
    await page.press("Mark as read: nginx timed out");
    await page.miss(`[data-notification="${ids[14]}"][data-unread]`);
    assert.equal((await client.feed.list({ channel: "web", unread: true })).items.length, 0);
    await page.press("Delete all 14: nginx timed out");
    await page.see("::-p-text(14 notifications are deleted.)");
    await page.miss(`[data-notification="${ids[14]}"]`);
    assert.equal((await client.feed.list({ channel: "web" })).items.length, 0);
    await page.press("Undo");
    await page.miss("::-p-text(14 notifications are deleted.)");
    await page.see(`[data-notification="${ids[14]}"]`);
    assert.equal((await client.feed.list({ channel: "web" })).items.length, 14);
    await page.page.locator(`[data-notification="${ids[14]}"] a`).click();
    await page.see(`[data-opened-notification="${ids[14]}"]`);
    await page.page.waitForFunction(`document.querySelectorAll("[data-index]").length === 16`);
    assert.deepEqual(page.complaints, []);
  });

  test(`${make}: what is time-sensitive and unread stands on top, however old, until it is read`, async (t) => {
    const alarm = { title: "Disk full", timeSensitive: true, minutesAgo: 2 * DAY };
    const { page, ids, stage, client } = await feedOf(t, await startBrowsers(t), [
      alarm,
      ...numbered(150),
    ]);
    await page.see("article h2 ::-p-text(Time-sensitive)");
    assert.equal((await titles(page))[0], "Disk full");
    await page.page.locator(`[data-notification="${ids[0]}"] a`).click();
    await page.see("[data-opened-notification][data-read]");
    assert.equal((await titles(page))[0], "Disk full");
    await page.page.keyboard.press("j");
    await page.see(`[data-opened-notification="${ids.at(-1)}"]`);
    await page.page.waitForFunction(
      `document.querySelector("article a").textContent !== "Disk full"`,
    );
    await client.feed.markUnread({ ids: [ids[0] ?? ""] });
    await page.see("article h2 ::-p-text(Time-sensitive)");
    await sendAll(stage, { page, client }, [{ title: "Fire", body: "", timeSensitive: true }]);
    await page.page.waitForFunction(`document.querySelector("article a").textContent === "Fire"`);
    assert.deepEqual(page.complaints, []);
  });

  test(`${make}: a desktop shows ten rows and more at once, each with a line above it; a choice makes them roomy`, async (t) => {
    const { page, stage } = await feedOf(t, await startBrowsers(t), numbered(40));
    await page.page.setViewport(DESKTOP);
    const count = Number(await page.page.evaluate(WHOLE_ROWS));
    t.diagnostic(`${count} rows at once`);
    assert.ok(count >= ROWS_MIN, `${count} rows`);
    assert.deepEqual(await page.page.evaluate(LINELESS_ROWS), []);
    await page.page.goto(`${stage.url}/settings`);
    await page.page.locator("label ::-p-text(Comfortable)").click();
    await page.go("Notifications");
    await page.see('[data-density="comfortable"] article');
    assert.ok(Number(await page.page.evaluate(WHOLE_ROWS)) < count);
    assert.deepEqual(await page.page.evaluate(LINELESS_ROWS), []);
  });

  test(`${make}: rows tell who sent them and when, and their channel has the same colour everywhere`, async (t) => {
    const browsers = await startBrowsers(t);
    const said = [
      { title: "Last month", channel: "backup", minutesAgo: 30 * DAY },
      { title: "Three days ago", channel: "backup", minutesAgo: 3 * DAY },
      { title: "Yesterday", channel: "ci", minutesAgo: DAY },
    ];
    const { page, stage, client } = await feedOf(t, browsers, said);
    await sendAll(stage, { page, client }, [{ title: "Now", body: "", channel: "backup" }]);
    await page.see("article ::-p-text(Now)");
    assert.match(await page.see("article"), /Backup script/);
    const weekday = new Date(Date.now() - 3 * DAY * 60_000).toLocaleDateString("en", {
      weekday: "long",
    });
    const headings: unknown = await page.page.$$eval("article h2", (all) =>
      all.map((one) => one.textContent),
    );
    assert.partialDeepStrictEqual(headings, ["Today", "Yesterday", weekday]);
    const colours: unknown = await page.page.evaluate(COLOURS);
    const [now, ci, earlier, lastMonth] = colours as readonly string[];
    assert.deepEqual([earlier, lastMonth], [now, now]);
    assert.notEqual(ci, now);
  });
}

test("titles begin at the same place on every page, and the feed is as wide as the screen", async (t) => {
  const { page } = await feedOf(t, await PUSH_BROWSERS.Chromium(t), numbered(1));
  await page.page.setViewport(WIDE);
  const places = new Set<string>();
  for (const name of [
    "Devices",
    "Teams",
    "Send",
    "Sent",
    "API keys",
    "Activity",
    "Notifications",
  ]) {
    await page.go(name);
    await page.page.waitForFunction(`document.querySelector("main h1")?.textContent === "${name}"`);
    places.add(String(await page.page.evaluate(TITLE_PLACE)));
  }
  assert.equal(places.size, 1, [...places].join(" and "));
  const free = Number(await page.page.evaluate(FREE_BESIDE));
  assert.ok(free <= 64, `${free} px beside the feed`);
});

test("a finger deletes a row to the left, with a way back, and reads it to the right", async (t) => {
  const { page, client, ids } = await feedOf(t, await PUSH_BROWSERS.Chromium(t), numbered(3));
  await page.page.setViewport({ ...PHONE, hasTouch: true, isMobile: true });
  const [one = "", two = ""] = ids;
  await page.see(`[data-notification="${two}"]`);
  await swipe(page, { id: two, by: -40 });
  await swipe(page, { id: two, by: -200 });
  await page.miss(`[data-notification="${two}"]`);
  assert.deepEqual(await page.page.$("[data-opened-notification]"), null);
  await page.press("Undo");
  await page.see(`[data-notification="${two}"][data-unread]`);
  await swipe(page, { id: one, by: 200 });
  await page.miss(`[data-notification="${one}"][data-unread]`);
  assert.deepEqual(
    (await client.feed.list({ unread: true })).items.map(({ id }) => id),
    [ids[2], two],
  );
  assert.deepEqual(page.complaints, []);
});

test("urgent rows, repeats and their buttons break no rule of WCAG 2.2 A and AA", async (t) => {
  const alarm = { title: "Disk full", body: "db-1", channel: "ops", timeSensitive: true };
  const said = [...numbered(8, { channel: "backup", minutesAgo: 3 * DAY }), ...TIMEOUTS, alarm];
  const { page } = await feedOf(t, await PUSH_BROWSERS.Chromium(t), said);
  for (const size of SIZES) {
    await page.page.setViewport(size);
    await page.see('[aria-label="14 times in a row"]');
    assert.deepEqual(await examine(page, { name: "feed-rows", size }), []);
  }
});

async function titles({ page }: ConsolePage): Promise<readonly string[]> {
  return page.$$eval("article[data-index] a", (all) => all.map((one) => one.textContent ?? ""));
}

interface Swipe {
  readonly id: string;
  /** In pixels; to the left where it is negative. */
  readonly by: number;
}

/** Draws a row aside with one finger. */
async function swipe({ page }: ConsolePage, { id, by }: Swipe): Promise<void> {
  const row = await page.waitForSelector(`[data-notification="${id}"] a`);
  const { x = 0, y = 0, width = 0 } = (await row?.boundingBox()) ?? {};
  const [from, middle] = [x + width / 2, y + 10];
  const finger = await page.touchscreen.touchStart(from, middle);
  for (let step = 1; step <= 5; step += 1) await finger.move(from + (by * step) / 5, middle);
  await finger.end();
}

/** Where the first line of the page's title begins, in pixels. */
const TITLE_PLACE = `(() => {
  const { left, top } = document.querySelector("main h1").getBoundingClientRect();
  return [Math.round(left), Math.round(top)].join();
})()`;

/** How much of the screen is empty to the right of the feed, in pixels. */
const FREE_BESIDE = `innerWidth - document.querySelector("[data-feed] [data-width]").getBoundingClientRect().right`;

/** Counts the rows that the screen shows whole. */
const WHOLE_ROWS = `[...document.querySelectorAll("article[data-index]")].filter((row) => {
  const { top, bottom } = row.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}).length`;

/** The rows that have no line above them, as the screen draws it: between two rows there is one, not none. */
const LINELESS_ROWS = `[...document.querySelectorAll("article[data-index]")].filter((row) => {
  const box = row.querySelector("h2")?.nextElementSibling ?? row.firstElementChild;
  const { left, top, width } = box.getBoundingClientRect();
  if (top < 0 || top >= innerHeight) return false;
  const front = document.elementFromPoint(left + width / 2, top + 0.5);
  return parseFloat(getComputedStyle(box).borderTopWidth) === 0 || !box.contains(front);
}).map((row) => row.textContent)`;

/** The colour of each row's channel. */
const COLOURS = `[...document.querySelectorAll("article [style*=channel-hue]")].map((mark) =>
  getComputedStyle(mark).backgroundColor)`;
