import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { ConsolePage } from "../support/console-page.ts";
import { setUpServer, signInWithForm, startConsoleFixture } from "../support/console-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { fillFeed, type FeedContent } from "../support/fill-feed.ts";
import { recordPageTasks } from "../support/page-tasks.ts";
import { STEAL_SHARE_MAX, watchStealShare } from "../support/steal-time.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const ITEM_COUNT = 10_000;
/** Maximum number of rows in the page at any time. */
const ROWS_MAX = 100;
/** Maximum compute time of one task of the page, also on a slow machine. */
const TASK_MAX_MS = 200;

/** Opens the console as Ann, with a filled feed. */
async function openFeed(t: TestContext, items: readonly FeedContent[]) {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(fixture.app.context, accountId, items);
  await ann.page.tab.goto(fixture.url);
  await ann.page.waitFor("article");
  return { browsers, fixture, ids, ...ann };
}

function createNumberedItems(count: number): readonly FeedContent[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Number ${index + 1}`,
    // Rows differ in height.
    body: "It went well, as on every other night. ".repeat(index % 7),
    channel: index % 3 === 0 ? "backup" : "ci",
    minutesAgo: (count - index) * 3,
  }));
}

test("10,000 notifications scroll without a long task, and the page renders only rows near the screen", async (t) => {
  const { page } = await openFeed(t, createNumberedItems(ITEM_COUNT));
  const readStealShare = watchStealShare();
  const stopRecording = await recordPageTasks(page.tab);
  const report = await scrollThrough(page);
  const { longestMs, count } = await stopRecording();
  const stealShare = readStealShare();
  const { rowsMax, longestTaskMs, frames } = report;
  const percentile = (share: number) => frames[Math.floor((frames.length - 1) * share)] ?? 0;
  t.diagnostic(
    `${frames.length} frames: ${percentile(0.5).toFixed(1)} ms in the middle, ${percentile(0.99).toFixed(1)} ms at p99, ${percentile(1).toFixed(1)} ms at most; of ${count} tasks the longest computed for ${Math.round(longestMs)} ms; the longest took, with waiting, ${Math.round(longestTaskMs)} ms; ${rowsMax} rows at most`,
  );
  assert.ok(rowsMax > 5 && rowsMax < ROWS_MAX, `${rowsMax} rows`);
  if (stealShare <= STEAL_SHARE_MAX)
    assert.ok(longestMs <= TASK_MAX_MS, `a task of ${longestMs} ms`);
  else
    t.diagnostic(
      `times not checked: ${Math.round(stealShare * 100)} % of the processor was stolen`,
    );
  assert.equal(report.lastTitle, "Number 1");
  assert.deepEqual(page.consoleErrors, []);
});

interface ScrollReport {
  readonly isDone: boolean;
  readonly rowsMax: number;
  /** Duration that the page measures: it includes waiting for the processor. */
  readonly longestTaskMs: number;
  /** Duration of each frame, shortest first. */
  readonly frames: readonly number[];
  readonly lastTitle: string | null;
}

/** Maximum number of commands to the browser; each scrolls for three seconds, well within its timeout. */
const SCROLLS_MAX = 150;

async function scrollThrough({ tab }: ConsolePage): Promise<ScrollReport> {
  await tab.evaluate(BEGIN_SCROLLING);
  for (let scrolls = 0; scrolls < SCROLLS_MAX; scrolls += 1) {
    const result: unknown = await tab.evaluate(SCROLL_ON);
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
  const findLastLink = () => document.querySelector('article[aria-posinset="${ITEM_COUNT}"] a');
  const isDone = () => findLastLink() !== null || scrolling.rowsMax >= ${ROWS_MAX};
  const deadlineAt = performance.now() + 3_000;
  let previousFrameAt = await frame();
  while (!isDone() && performance.now() < deadlineAt) {
    scrollBy(0, innerHeight * 2);
    const frameAt = await frame();
    scrolling.frames.push(frameAt - previousFrameAt);
    previousFrameAt = frameAt;
    scrolling.rowsMax = Math.max(scrolling.rowsMax, document.querySelectorAll("main article").length);
  }
  return {
    isDone: isDone(),
    rowsMax: scrolling.rowsMax,
    longestTaskMs: Math.max(0, ...scrolling.tasks),
    frames: isDone() ? scrolling.frames.toSorted((a, b) => a - b) : [],
    lastTitle: findLastLink()?.textContent ?? null,
  };
})()`;

test("new notifications do not move the rows of a reader further down", async (t) => {
  const { page, fixture, client } = await openFeed(t, createNumberedItems(200));
  const { key } = await client.keys.create({ kind: "account" });
  await page.waitFor('[data-live="true"]');
  // The sections above the list appear once the state of the browser's notifications is known.
  await page.waitFor('[data-notification-state="off"]');
  await page.tab.evaluate("scrollTo(0, 3000)");
  await page.tab.waitForFunction("scrollY > 2900");
  const before = await readTopRow(page);
  await sendAsync(fixture.url, key, "First news");
  await sendAsync(fixture.url, key, "Second news");
  await page.waitFor("main button ::-p-text(2 new)");
  assert.deepEqual(await readTopRow(page), before);
  await page.press("2 new");
  await page.waitFor("article ::-p-text(Second news)");
  assert.equal(await page.tab.evaluate("scrollY"), 0);
  await sendAsync(fixture.url, key, "Third news");
  await page.waitFor("article ::-p-text(Third news)");
  assert.deepEqual(page.consoleErrors, []);
});

/** Returns the first row below the top of the screen and its settled position. */
async function readTopRow({ tab }: ConsolePage): Promise<unknown> {
  return tab.evaluate(TOP_ROW);
}

/** Waits until the position is stable: rows are rendered and measured some frames after the scrolling. */
const TOP_ROW = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const findTopRow = () => [...document.querySelectorAll("main article")]
    .map((row) => [row.dataset.notification, Math.round(row.getBoundingClientRect().top)])
    .filter(([, top]) => top > 0).toSorted(([, a], [, b]) => a - b)[0];
  let previousRow, unchangedFrames = 0;
  for (let frames = 0; frames < 300 && unchangedFrames < 30; frames += 1) {
    await frame();
    const row = findTopRow();
    unchangedFrames = row !== undefined && String(row) === String(previousRow) ? unchangedFrames + 1 : 0;
    previousRow = row;
  }
  return previousRow;
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
  const { page } = await openFeed(t, createNumberedItems(400));
  for (const view of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.tab.setViewport(view);
    await page.navigate("Notifications");
    // The sections above the list appear once the state of the browser's notifications is known.
    await page.waitFor('[data-notification-state="off"]');
    // Starts at the top, like a reader: rows that were never rendered have no measured height yet.
    await page.tab.evaluate("scrollTo(0, 0)");
    await page.tab.waitForFunction(IS_STILL);
    await page.tab.evaluate("scrollTo(0, 4000)");
    await page.tab.waitForFunction("scrollY > 3900");
    await page.tab.waitForFunction(IS_STILL);
    const before = await readTopRow(page);
    const [id] = before as readonly [string, number];
    await page.tab.evaluate(`document.querySelector('[data-notification="${id}"] a').click()`);
    await page.waitFor(`[data-opened-notification="${id}"]`);
    await page.tab.goBack();
    await page.waitUntilGone("[data-opened-notification]");
    assert.deepEqual(
      await readTopRow(page),
      before,
      `next to the open notification, ${view.width} px`,
    );
    await page.navigate("Devices");
    await page.waitFor("main h1 ::-p-text(Devices)");
    await page.tab.goBack();
    await page.waitFor("article");
    await eventually(
      () => readTopRow(page),
      (row) => String(row) === String(before),
    );
  }
  assert.deepEqual(page.consoleErrors, []);
});

/** Resolves with whether the scroll position is unchanged after two frames. */
const IS_STILL = `new Promise((resolve) => { const previousY = scrollY;
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY === previousY))) })`;

test("channel and search are in the URL, and Back restores earlier filters", async (t) => {
  const { page, client, ids } = await openFeed(t, createNumberedItems(30));
  await client.feed.markRead({ ids: ids.slice(0, 25) });
  await page.waitFor("nav a ::-p-text(backup)");
  await page.tab.locator('nav[aria-label="Channels"] a ::-p-text(backup)').click();
  await page.waitUntilGone("article ::-p-text(Number 30)");
  await page.waitFor("article ::-p-text(Number 28)");
  assert.match(page.tab.url(), /\?channel=backup$/);
  await page.press("Unread");
  await page.waitUntilGone("article ::-p-text(Number 25)");
  await page.tab.locator('input[aria-label="Search notifications"]').fill("number 28");
  await page.tab.waitForFunction(`location.search.includes("q=number")`);
  await page.tab.waitForFunction(`document.querySelectorAll("article").length === 1`);
  await page.tab.locator('input[aria-label="Search notifications"]').fill("aardvark");
  await page.waitFor("main h2 ::-p-text(Nothing found)");
  await page.followLink("Show all notifications");
  await page.waitFor("article ::-p-text(Number 30)");
  await page.tab.goBack();
  await page.waitFor("main h2 ::-p-text(Nothing found)");
  await page.tab.goBack();
  await page.waitFor("article ::-p-text(Number 25)");
  const searchText: unknown = await page.tab.$eval("main input", (input) => input.value);
  assert.equal(searchText, "");
  assert.deepEqual(page.consoleErrors, []);
});

test("a read, delete or undo in one page shows in another without a reload", async (t) => {
  const { page, browsers, fixture, ids } = await openFeed(t, createNumberedItems(5));
  const otherPage = await browsers.open(`${fixture.url}/sign-in`);
  await signInWithForm(otherPage);
  await otherPage.waitFor('[data-live="true"]');
  await otherPage.tab.waitForFunction(`document.title.startsWith("(5) ")`);
  const [first = "", second = ""] = ids;
  await page.tab.locator(`[data-notification="${second}"] a`).click();
  await page.waitFor("[data-opened-notification][data-read]");
  await otherPage.tab.waitForFunction(`document.title.startsWith("(4) ")`);
  await otherPage.waitUntilGone(`[data-notification="${second}"][data-unread]`);
  await page.press("Mark as unread");
  await otherPage.waitFor(`[data-notification="${second}"][data-unread]`);
  await page.tab.keyboard.press("j");
  await page.waitFor(`[data-opened-notification="${first}"][data-read]`);
  await page.tab.keyboard.press("Delete");
  await otherPage.waitUntilGone(`[data-notification="${first}"]`);
  await page.press("Undo");
  await otherPage.waitFor(`[data-notification="${first}"]`);
  await page.press("Mark all as read");
  await otherPage.waitUntilGone("[data-unread]");
  await otherPage.tab.waitForFunction(`!document.title.startsWith("(")`);
  for (const consolePage of [page, otherPage]) assert.deepEqual(consolePage.consoleErrors, []);
});
