import test from "node:test";
import { inspectViews } from "../../support/console-inspection.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the API key pages meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await inspectViews(page, { views: [{ name: "keys-empty", path: "/keys", waitFor: "main h2" }] });
  const activeKey = await client.keys.create({ kind: "account", label: "Backup script" });
  const rotatedKey = await client.keys.create({ kind: "account", label: "Monitoring" });
  await client.keys.rotate(rotatedKey.id, { overlapSeconds: 3_600 });
  const postOnlyKey = await client.keys.create({ kind: "account", label: "Shop", postOnly: true });
  const hint = activeKey.key.slice(-4);
  const keyList = { path: "/keys", waitFor: "main li" };
  await inspectViews(page, {
    views: [
      { name: "keys", ...keyList },
      { name: "builder", path: "/keys/builder", waitFor: '[role="tablist"]' },
      {
        name: "new-key",
        ...keyList,
        thenPress: { button: "Create an API key", waitFor: '[role="dialog"] form' },
      },
      {
        name: "key-menu",
        ...keyList,
        thenPress: { button: `Actions for the key ending in ${hint}`, waitFor: '[role="menu"]' },
      },
      {
        name: "builder-post-only",
        path: "/keys/builder",
        waitFor: '[role="tablist"]',
        prepare: async (page) => {
          await page.find('main input[type="password"]').fill(postOnlyKey.key);
          await page.waitFor("::-p-text(curl -X POST)");
        },
      },
      {
        name: "rotate-key",
        ...keyList,
        thenPress: {
          button: [`Actions for the key ending in ${hint}`, "Rotate"],
          waitFor: '[role="dialog"]',
        },
      },
      {
        name: "callback-secret",
        ...keyList,
        thenPress: {
          button: [`Actions for the key ending in ${hint}`, "Callback secret"],
          waitFor: '[role="dialog"]',
        },
      },
    ],
  });
  await inspectInGerman(page, hint);
});

test("the settings of a program beside a new key meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  const prepare = async () => {
    await page.press("Create an API key");
    await page.waitFor('[role="dialog"] form');
    await choose(page, "For", "Programs that send to Gotify");
    await page.press("Create the key");
    await page.waitUntilGone('[role="dialog"]');
    await choose(page, "Settings for", "Watchtower");
    await page.waitFor('[role="group"][aria-label="WATCHTOWER_NOTIFICATION_URL"]');
  };
  await inspectViews(page, {
    views: [{ name: "new-gotify-key", path: "/keys", waitFor: "main h1", prepare }],
  });
});

async function inspectInGerman(page: ConsolePage, hint: string): Promise<void> {
  const keyList = { path: "/keys", waitFor: "main li" };
  await page.setLanguage("de");
  await inspectViews(page, {
    views: [
      { name: "keys-german", ...keyList },
      {
        name: "new-key-german",
        ...keyList,
        thenPress: { button: "Create an API key", waitFor: '[role="dialog"] form' },
      },
      {
        name: "key-menu-german",
        ...keyList,
        thenPress: {
          button: `Actions for the key ending in ${hint}`,
          waitFor: '[role="menu"]',
        },
      },
    ],
  });
}

/** Chooses an option of a list by its label. */
async function choose({ tab }: ConsolePage, label: string, option: string): Promise<void> {
  await tab.locator(`::-p-aria([name="${label}"][role="combobox"])`).click();
  await tab.locator(`[role="option"] ::-p-text(${option})`).click();
}
