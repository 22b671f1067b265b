import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { KeyInput } from "puppeteer-core";
import { addDevice } from "../support/app.ts";
import { examine, SIZES } from "../support/console-look.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage } from "../support/console-stage.ts";
import { fillFeed, type Said } from "../support/feed.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

/** So many tab stops lie before what a journey looks for at most. */
const STOPS_MAX = 60;

/** A person at the console, whose feed holds this and who has one more device. */
async function stageOf(t: TestContext, browsers: PushBrowsers, said: readonly Said[]) {
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await addDevice({ push: stage.push }, ann, "Workshop tablet");
  const { id: accountId } = await ann.client.me();
  const ids = await fillFeed(stage.app.context, accountId, said);
  return { stage, ids, ...ann };
}

const THREE: readonly Said[] = ["One", "Two", "Three"].map((title) => ({ title }));

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make}: the first tab stop skips the navigation, and nothing after it changes what was not asked for`, async (t) => {
    const { page, stage } = await stageOf(t, await startBrowsers(t), THREE);
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

  test(`${make}: marking everything as read is taken back by a key, and what was read before stays read`, async (t) => {
    const { page, client, stage, ids } = await stageOf(t, await startBrowsers(t), THREE);
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
    const { items } = await client.feed.list({ unread: true });
    assert.deepEqual(
      items.map(({ title }) => title),
      ["Three", "Two"],
    );
    await page.miss("::-p-text(All notifications are marked as read.)");
    assert.deepEqual(page.complaints, []);
  });

  test(`${make}: Escape leads from a dialog back to the menu that opened it`, async (t) => {
    const { page, client } = await stageOf(t, await startBrowsers(t), []);
    const { hint } = await client.keys.create({ kind: "account", label: "Backup" });
    for (const [place, button] of [
      ["Devices", "Actions for Workshop tablet"],
      ["API keys", `Actions for the key ending in ${hint}`],
    ] as const) {
      await page.go(place);
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
        { timeout: BACK_MS },
      );
    }
    assert.deepEqual(page.complaints, []);
  });
}

/** The focus comes back within a moment, also on a busy machine, or never. */
const BACK_MS = 10_000;

test("a list that waits for what is older breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const many = Array.from({ length: 150 }, (_, index) => ({ title: `Number ${index}` }));
  const { page, stage } = await stageOf(t, await PUSH_BROWSERS.Chromium(t), many);
  await page.page.setRequestInterception(true);
  page.page.on("request", (request) => {
    // Older requests are not answered.
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

/** Goes from where the focus is, by Tab alone, to what has this name. */
async function tabTo(page: ConsolePage, name: string): Promise<void> {
  const passed: string[] = [];
  while (passed.length < STOPS_MAX) {
    await press(page, "Tab");
    const now = await focused(page);
    if (now === name) return;
    passed.push(now);
  }
  throw new Error(`No tab stop is called ${name}, but: ${passed.join(", ")}`);
}

async function focused({ page }: ConsolePage): Promise<string> {
  const name: unknown = await page.evaluate(
    `document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent.trim() ?? ""`,
  );
  return String(name);
}
