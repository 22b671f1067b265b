import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { KeyInput } from "puppeteer-core";
import { addDevice } from "../support/app.ts";
import { examine, SIZES } from "../support/console-look.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage } from "../support/console-stage.ts";
import { fillFeed, type FeedContent } from "../support/feed.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

/** Maximum number of tab stops before a wanted element. */
const STOPS_MAX = 60;

/** Opens the console as Ann, with a filled feed and one more device. */
async function openConsole(t: TestContext, browsers: PushBrowsers, items: readonly FeedContent[]) {
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await addDevice({ push: stage.push }, ann, "Workshop tablet");
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(stage.app.context, accountId, items);
  return { stage, ids, ...ann };
}

const THREE_ITEMS: readonly FeedContent[] = ["One", "Two", "Three"].map((title) => ({ title }));

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: the first tab stop skips the navigation, and focus moves to the page's heading`, async (t) => {
    const { page, stage } = await openConsole(t, await startBrowsers(t), THREE_ITEMS);
    await page.page.goto(stage.url);
    await page.see("main article");
    await press(page, "Tab");
    assert.equal(await focused(page), "Skip to the content");
    await press(page, "Enter");
    await press(page, "Tab");
    assert.equal(await focused(page), "Search notifications");
    await page.go("Devices");
    await page.see("main h1 ::-p-text(Devices)");
    await page.page.waitForFunction(`document.activeElement?.textContent === "Devices"`);
  });

  test(`${browserName}: a key undoes “mark all as read”, and earlier reads stay read`, async (t) => {
    const { page, client, stage, ids } = await openConsole(t, await startBrowsers(t), THREE_ITEMS);
    await client.feed.markRead({ ids: ids.slice(0, 1) });
    await page.page.goto(stage.url);
    await page.see("main article[data-unread]");
    await tabTo(page, "Mark all as read");
    await press(page, "Enter");
    await page.see("::-p-text(All notifications are marked as read.)");
    await page.miss("main article[data-unread]");
    assert.equal(await focused(page), "Notifications");
    await press(page, "z");
    await page.see(`[data-notification="${ids.at(-1)}"][data-unread]`);
    const { items: unread } = await client.feed.list({ unread: true });
    assert.deepEqual(
      unread.map(({ title }) => title),
      ["Three", "Two"],
    );
    await page.miss("::-p-text(All notifications are marked as read.)");
    assert.deepEqual(page.complaints, []);
  });

  test(`${browserName}: Escape returns the focus from a dialog to the button of its menu`, async (t) => {
    const { page, client } = await openConsole(t, await startBrowsers(t), []);
    const { hint } = await client.keys.create({ kind: "account", label: "Backup" });
    for (const [pageName, button] of [
      ["Devices", "Actions for Workshop tablet"],
      ["API keys", `Actions for the key ending in ${hint}`],
    ] as const) {
      await page.go(pageName);
      await page.see(`[aria-label="${button}"]`);
      await tabTo(page, button);
      await press(page, "Enter");
      await page.see('[role="menu"]');
      await page.page.waitForFunction(`document.activeElement?.closest('[role="menu"]') !== null`);
      await press(page, "End");
      await press(page, "Enter");
      await page.see('[role="dialog"]');
      await page.page.waitForFunction(
        `document.activeElement?.closest('[role="dialog"]') !== null`,
      );
      await press(page, "Escape");
      await page.miss('[role="dialog"]');
      await page.page.waitForFunction(
        `document.activeElement?.getAttribute("aria-label") === ${JSON.stringify(button)}`,
        { timeout: REFOCUS_MAX_MS },
      );
    }
    assert.deepEqual(page.complaints, []);
  });
}

/** Maximum time until the focus returns, also on a busy machine. */
const REFOCUS_MAX_MS = 10_000;

test("a feed that waits for older notifications breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const many = Array.from({ length: 150 }, (_, index) => ({ title: `Number ${index}` }));
  const { page, stage } = await openConsole(t, await PUSH_BROWSERS.Chromium(t), many);
  await page.page.setRequestInterception(true);
  page.page.on("request", (request) => {
    // Requests for older notifications get no response.
    if (!request.url().includes("cursor=")) void request.continue();
  });
  await page.page.goto(stage.url);
  await page.see("main article");
  await page.page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await page.see('[role="feed"] + [role="status"]');
  assert.deepEqual(await examine(page, { name: "feed-waiting", size: SIZES[0] }), []);
});

async function press({ page }: ConsolePage, key: KeyInput): Promise<void> {
  await page.keyboard.press(key);
}

/** Moves the focus with Tab to the element with this name. */
async function tabTo(page: ConsolePage, name: string): Promise<void> {
  const passed: string[] = [];
  while (passed.length < STOPS_MAX) {
    await press(page, "Tab");
    const current = await focused(page);
    if (current === name) return;
    passed.push(current);
  }
  throw new Error(`No tab stop is named ${name}. Found: ${passed.join(", ")}`);
}

async function focused({ page }: ConsolePage): Promise<string> {
  const name: unknown = await page.evaluate(
    `document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent.trim() ?? ""`,
  );
  return String(name);
}
