import test from "node:test";
import { inspectViews } from "../../support/console-inspection.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the shell around the pages meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  const onSettings = { path: "/settings", waitFor: "main section" };
  await inspectViews(page, {
    views: [
      { name: "settings", ...onSettings },
      { name: "palette", ...onSettings, prepare: openPalette },
      { name: "palette-results", ...onSettings, prepare: (page) => searchInPalette(page, "se") },
      {
        name: "palette-no-results",
        ...onSettings,
        prepare: (page) => searchInPalette(page, "xyz"),
      },
      { name: "account-menu", ...onSettings, prepare: openAccountMenu },
      { name: "offline", path: "/devices", waitFor: "main h1", prepare: goOffline },
      {
        name: "new-version",
        path: "/send",
        waitFor: 'input[name="title"]',
        prepare: simulateMissingChunk,
      },
      { name: "not-found", path: "/no/such/page", waitFor: "main a" },
    ],
  });
});

async function openPalette(page: ConsolePage): Promise<void> {
  await page.find("header button:has(kbd)").click();
  await page.waitFor('[role="dialog"] input');
}

async function searchInPalette(page: ConsolePage, text: string): Promise<void> {
  await openPalette(page);
  await page.tab.keyboard.type(text);
  await page.tab.waitForFunction(
    `document.querySelector('[role="dialog"] input').value === ${JSON.stringify(text)}`,
  );
}

async function openAccountMenu(page: ConsolePage): Promise<void> {
  await page.tab.locator("header [popovertarget]").click();
  await page.waitFor("[popover]:popover-open a");
}

async function goOffline(page: ConsolePage): Promise<void> {
  await page.tab.evaluate(`
    Object.defineProperty(navigator, "onLine", { get: () => false });
    dispatchEvent(new Event("offline"));
  `);
  await page.waitFor('[role="status"] p');
}

/**
 * Simulates a server update while the user types: a script chunk that the page loads later no longer exists.
 */
async function simulateMissingChunk(page: ConsolePage): Promise<void> {
  await page.tab.locator('input[name="title"]').fill("The nightly backup");
  await page.tab.evaluate(`dispatchEvent(new Event("vite:preloadError", { cancelable: true }))`);
  await page.waitFor('[role="status"] p button');
}
