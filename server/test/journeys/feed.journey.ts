import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, signIn, startStage } from "../support/console-stage.ts";
import { eventually } from "../support/eventually.ts";
import { fillFeed, type FeedContent } from "../support/feed.ts";
import { recordTasks } from "../support/page-tasks.ts";
import { STOLEN_MAX, watchStolenShare } from "../support/own-time.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const COUNT = 10_000;
/** Maximum number of rows in the page at any time. */
const ROWS_MAX = 100;
/** Maximum compute time of one task of the page, also on a slow machine. */
const TASK_MAX_MS = 200;

/** Opens the console as Ann, with a filled feed. */
async function openFeed(t: TestContext, items: readonly FeedContent[]) {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(stage.app.context, accountId, items);
  await ann.page.page.goto(stage.url);
  await ann.page.see("article");
  return { browsers, stage, ids, ...ann };
}

function numbered(count: number): readonly FeedContent[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Number ${index + 1}`,
    // Rows differ in height.
    body: "It went well, as on every other night. ".repeat(index % 7),
    channel: index % 3 === 0 ? "backup" : "ci",
    minutesAgo: (count - index) * 3,
  }));
}

test("10,000 notifications scroll smoothly, and the page renders only rows near the screen", async (t) => {
  const { page } = await openFeed(t, numbered(COUNT));
  const stolenShare = watchStolenShare();
  const stop = await recordTasks(page.page);
  const report = await scrollThrough(page);
  const { longestMs, count } = await stop();
  const stolen = stolenShare();
  const { rowsMax, longestTaskMs, frames } = report;
  const percentile = (share: number) => frames[Math.floor((frames.length - 1) * share)] ?? 0;
  t.diagnostic(
    `${frames.length} frames: ${percentile(0.5).toFixed(1)} ms in the middle, ${percentile(0.99).toFixed(1)} ms at p99, ${percentile(1).toFixed(1)} ms at most; of ${count} tasks the longest computed for ${Math.round(longestMs)} ms; the longest with all waiting took ${Math.round(longestTaskMs)} ms; ${rowsMax} rows at most`,
  );
  assert.ok(rowsMax > 5 && rowsMax < ROWS_MAX, `${rowsMax} rows`);
  if (stolen <= STOLEN_MAX) assert.ok(longestMs <= TASK_MAX_MS, `a task of ${longestMs} ms`);
  else t.diagnostic(`times not checked: ${Math.round(stolen * 100)} % of the processor was stolen`);
  assert.equal(report.lastTitle, "Number 1");
  assert.deepEqual(page.complaints, []);
});

interface ScrollReport {
  readonly isDone: boolean;
  readonly rowsMax: number;
  /** Measured in the page: a busy machine makes it longer. */
  readonly longestTaskMs: number;
  /** Duration of each frame, shortest first. */
  readonly frames: readonly number[];
  readonly lastTitle: string | null;
}

/** Each command to the browser scrolls for three seconds, well under its timeout of half a minute. */
const SCROLLS_MAX = 150;

async function scrollThrough({ page }: ConsolePage): Promise<ScrollReport> {
  await page.evaluate(BEGIN_SCROLLING);
  for (let scrolls = 0; scrolls < SCROLLS_MAX; scrolls += 1) {
    const result: unknown = await page.evaluate(SCROLL_ON);
    // The expression returns a report.
    const report = result as ScrollReport;
    if (report.isDone) return report;
  }
  throw new Error("The list does not reach its end.");
}

const BEGIN_SCROLLING = `window.scrolling = { frames: [], tasks: [], rowsMax: 0 };
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) scrolling.tasks.push(duration) })
  .observe({ type: "longtask" });`;

/** Scrolls two screens a frame, like a fast swipe; at the end of the list it waits for older notifications. */
const SCROLL_ON = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const last = () => document.querySelector('article[aria-posinset="${COUNT}"] a');
  const isDone = () => last() !== null || scrolling.rowsMax >= ${ROWS_MAX};
  const until = performance.now() + 3_000;
  let before = await frame();
  while (!isDone() && performance.now() < until) {
    scrollBy(0, innerHeight * 2);
    const now = await frame();
    scrolling.frames.push(now - before);
    before = now;
    scrolling.rowsMax = Math.max(scrolling.rowsMax, document.querySelectorAll("main article").length);
  }
  return {
    isDone: isDone(),
    rowsMax: scrolling.rowsMax,
    longestTaskMs: Math.max(0, ...scrolling.tasks),
    frames: isDone() ? scrolling.frames.toSorted((a, b) => a - b) : [],
    lastTitle: last()?.textContent ?? null,
  };
})()`;

test("new notifications do not move the rows of a reader further down", async (t) => {
  const { page, stage, client } = await openFeed(t, numbered(200));
  const { key } = await client.keys.create({ kind: "account" });
  await page.see('[data-live="true"]');
  // The sections above the list appear once the browser's capabilities are known.
  await page.see('[data-capability="off"]');
  await page.page.evaluate("scrollTo(0, 3000)");
  await page.page.waitForFunction("scrollY > 2900");
  const before = await topRow(page);
  await sendAsync(stage.url, key, "First news");
  await sendAsync(stage.url, key, "Second news");
  await page.see("main button ::-p-text(2 new)");
  assert.deepEqual(await topRow(page), before);
  await page.press("2 new");
  await page.see("article ::-p-text(Second news)");
  assert.equal(await page.page.evaluate("scrollY"), 0);
  await sendAsync(stage.url, key, "Third news");
  await page.see("article ::-p-text(Third news)");
  assert.deepEqual(page.complaints, []);
});

/** Returns the first row below the top of the screen and its settled position. */
async function topRow({ page }: ConsolePage): Promise<unknown> {
  return page.evaluate(TOP_ROW);
}

/** Waits until the position is stable: rows are rendered and measured some frames after the scrolling. */
const TOP_ROW = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const top = () => [...document.querySelectorAll("main article")]
    .map((row) => [row.dataset.notification, Math.round(row.getBoundingClientRect().top)])
    .filter(([, top]) => top > 0).toSorted(([, a], [, b]) => a - b)[0];
  let before, same = 0;
  for (let frames = 0; frames < 300 && same < 30; frames += 1) {
    await frame();
    const now = top();
    same = now !== undefined && String(now) === String(before) ? same + 1 : 0;
    before = now;
  }
  return before;
})()`;

async function sendAsync(url: string, key: string, title: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/notify-async`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ title, body: "" }),
  });
  assert.equal(response.status, 200);
}

test("going back from a notification far down restores the scroll position", async (t) => {
  const { page } = await openFeed(t, numbered(400));
  for (const view of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.page.setViewport(view);
    await page.go("Notifications");
    // The sections above the list appear once the browser's capabilities are known.
    await page.see('[data-capability="off"]');
    // Starts at the top, like a reader: rows that were never rendered have no measured height yet.
    await page.page.evaluate("scrollTo(0, 0)");
    await page.page.waitForFunction(IS_STILL);
    await page.page.evaluate("scrollTo(0, 4000)");
    await page.page.waitForFunction("scrollY > 3900");
    await page.page.waitForFunction(IS_STILL);
    const before = await topRow(page);
    const [id] = before as readonly [string, number];
    await page.page.evaluate(`document.querySelector('[data-notification="${id}"] a').click()`);
    await page.see(`[data-opened-notification="${id}"]`);
    await page.page.goBack();
    await page.miss("[data-opened-notification]");
    assert.deepEqual(await topRow(page), before, `next to the open notification, ${view.width} px`);
    await page.go("Devices");
    await page.see("main h1 ::-p-text(Devices)");
    await page.page.goBack();
    await page.see("article");
    await eventually(
      () => topRow(page),
      (row) => String(row) === String(before),
    );
  }
  assert.deepEqual(page.complaints, []);
});

/** Resolves with whether the scroll position is unchanged after two frames. */
const IS_STILL = `new Promise((resolve) => { const before = scrollY;
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY === before))) })`;

test("channel, unread filter and search are in the URL, and Back steps through them", async (t) => {
  const { page, client, ids } = await openFeed(t, numbered(30));
  await client.feed.markRead({ ids: ids.slice(0, 25) });
  await page.see("nav a ::-p-text(backup)");
  await page.page.locator('nav[aria-label="Channels"] a ::-p-text(backup)').click();
  await page.miss("article ::-p-text(Number 30)");
  await page.see("article ::-p-text(Number 28)");
  assert.match(page.page.url(), /\?channel=backup$/);
  await page.press("Unread");
  await page.miss("article ::-p-text(Number 25)");
  await page.page.locator('input[aria-label="Search notifications"]').fill("number 28");
  await page.page.waitForFunction(`location.search.includes("q=number")`);
  await page.page.waitForFunction(`document.querySelectorAll("article").length === 1`);
  await page.page.locator('input[aria-label="Search notifications"]').fill("aardvark");
  await page.see("main h2 ::-p-text(Nothing found)");
  await page.follow("Show all notifications");
  await page.see("article ::-p-text(Number 30)");
  await page.page.goBack();
  await page.see("main h2 ::-p-text(Nothing found)");
  await page.page.goBack();
  await page.see("article ::-p-text(Number 25)");
  const search: unknown = await page.page.$eval("main input", (input) => input.value);
  assert.equal(search, "");
  assert.deepEqual(page.complaints, []);
});

test("a read, delete or undo in one browser shows immediately in another", async (t) => {
  const { page, browsers, stage, ids } = await openFeed(t, numbered(5));
  const otherTab = await browsers.open(`${stage.url}/sign-in`);
  await signIn(otherTab);
  await otherTab.see('[data-live="true"]');
  await otherTab.page.waitForFunction(`document.title.startsWith("(5) ")`);
  const [first = "", second = ""] = ids;
  await page.page.locator(`[data-notification="${second}"] a`).click();
  await page.see("[data-opened-notification][data-read]");
  await otherTab.page.waitForFunction(`document.title.startsWith("(4) ")`);
  await otherTab.miss(`[data-notification="${second}"][data-unread]`);
  await page.press("Mark as unread");
  await otherTab.see(`[data-notification="${second}"][data-unread]`);
  await page.page.keyboard.press("j");
  await page.see(`[data-opened-notification="${first}"][data-read]`);
  await page.page.keyboard.press("Delete");
  await otherTab.miss(`[data-notification="${first}"]`);
  await page.press("Undo");
  await otherTab.see(`[data-notification="${first}"]`);
  await page.press("Mark all as read");
  await otherTab.miss("[data-unread]");
  await otherTab.page.waitForFunction(`!document.title.startsWith("(")`);
  for (const tab of [page, otherTab]) assert.deepEqual(tab.complaints, []);
});
