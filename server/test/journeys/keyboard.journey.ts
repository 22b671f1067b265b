import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { KeyInput } from "puppeteer-core";
import { addDevice } from "../support/app.ts";
import { inspectPage, JOURNEY_SIZES } from "../support/console-inspection.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { fillFeed, type FeedContent } from "../support/fill-feed.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

/** Maximum number of tab stops before a wanted element. */
const STOPS_MAX = 60;

/** Opens the console as Ann, with a filled feed and one more device. */
async function openConsole(t: TestContext, browsers: PushBrowsers, items: readonly FeedContent[]) {
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await addDevice({ push: fixture.push }, ann, "Workshop tablet");
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(fixture.app.context, accountId, items);
  return { fixture, ids, ...ann };
}

const THREE_ITEMS: readonly FeedContent[] = ["One", "Two", "Three"].map((title) => ({ title }));

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: the first tab stop skips the navigation, and focus moves to the page's heading`, async (t) => {
    const { page, fixture } = await openConsole(t, await startBrowsers(t), THREE_ITEMS);
    await page.tab.goto(fixture.url);
    await page.waitFor("main article");
    await press(page, "Tab");
    assert.equal(await readFocusedElementName(page), "Skip to the content");
    await press(page, "Enter");
    await press(page, "Tab");
    assert.equal(await readFocusedElementName(page), "Search notifications");
    await page.navigate("Devices");
    await page.waitFor("main h1 ::-p-text(Devices)");
    await page.tab.waitForFunction(`document.activeElement?.textContent === "Devices"`);
  });

  test(`${browserName}: a key undoes “mark all as read”, and notifications that were read before stay read`, async (t) => {
    const { page, client, fixture, ids } = await openConsole(
      t,
      await startBrowsers(t),
      THREE_ITEMS,
    );
    await client.feed.markRead({ ids: ids.slice(0, 1) });
    await page.tab.goto(fixture.url);
    await page.waitFor("main article[data-unread]");
    await moveFocusTo(page, "Mark all as read");
    await press(page, "Enter");
    await page.waitFor("::-p-text(All notifications are marked as read.)");
    await page.waitUntilGone("main article[data-unread]");
    assert.equal(await readFocusedElementName(page), "Notifications");
    await press(page, "z");
    await page.waitFor(`[data-notification="${ids.at(-1)}"][data-unread]`);
    const { items: unread } = await client.feed.list({ unread: true });
    assert.deepEqual(
      unread.map(({ title }) => title),
      ["Three", "Two"],
    );
    await page.waitUntilGone("::-p-text(All notifications are marked as read.)");
    assert.deepEqual(page.consoleErrors, []);
  });

  test(`${browserName}: Escape returns the focus from a dialog to the button of its menu`, async (t) => {
    const { page, client } = await openConsole(t, await startBrowsers(t), []);
    const { hint } = await client.keys.create({ kind: "account", label: "Backup" });
    for (const [pageName, button] of [
      ["Devices", "Actions for Workshop tablet"],
      ["API keys", `Actions for the key ending in ${hint}`],
    ] as const) {
      await page.navigate(pageName);
      await page.waitFor(`[aria-label="${button}"]`);
      await moveFocusTo(page, button);
      await press(page, "Enter");
      await page.waitFor('[role="menu"]');
      await page.tab.waitForFunction(`document.activeElement?.closest('[role="menu"]') !== null`);
      await press(page, "End");
      await press(page, "Enter");
      await page.waitFor('[role="dialog"]');
      await page.tab.waitForFunction(`document.activeElement?.closest('[role="dialog"]') !== null`);
      await press(page, "Escape");
      await page.waitUntilGone('[role="dialog"]');
      await page.tab.waitForFunction(
        `document.activeElement?.getAttribute("aria-label") === ${JSON.stringify(button)}`,
        { timeout: REFOCUS_MAX_MS },
      );
    }
    assert.deepEqual(page.consoleErrors, []);
  });
}

/** Maximum time until the focus returns, also on a busy machine. */
const REFOCUS_MAX_MS = 10_000;

test("a feed that waits for older notifications meets WCAG 2.2 A and AA", async (t) => {
  const items = Array.from({ length: 150 }, (_, index) => ({ title: `Number ${index}` }));
  const { page, fixture } = await openConsole(t, await PUSH_BROWSERS.Chromium(t), items);
  await page.tab.setRequestInterception(true);
  page.tab.on("request", (request) => {
    // Requests for older notifications get no response.
    if (!request.url().includes("cursor=")) void request.continue();
  });
  await page.tab.goto(fixture.url);
  await page.waitFor("main article");
  await page.tab.evaluate("scrollTo(0, document.body.scrollHeight)");
  await page.waitFor('[role="feed"] + [role="status"]');
  assert.deepEqual(await inspectPage(page, { name: "feed-waiting", size: JOURNEY_SIZES[0] }), []);
});

async function press({ tab }: ConsolePage, key: KeyInput): Promise<void> {
  await tab.keyboard.press(key);
}

/** Moves the focus with Tab to the element with this name. */
async function moveFocusTo(page: ConsolePage, name: string): Promise<void> {
  const passedNames: string[] = [];
  while (passedNames.length < STOPS_MAX) {
    await press(page, "Tab");
    const focusedName = await readFocusedElementName(page);
    if (focusedName === name) return;
    passedNames.push(focusedName);
  }
  throw new Error(`No tab stop is named ${name}. Found: ${passedNames.join(", ")}`);
}

async function readFocusedElementName({ tab }: ConsolePage): Promise<string> {
  const name: unknown = await tab.evaluate(
    `document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent.trim() ?? ""`,
  );
  return String(name);
}
