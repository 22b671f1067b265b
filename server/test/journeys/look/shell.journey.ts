import test from "node:test";
import { lookAt } from "../../support/console-look.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { setUp, startStage } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the shell around the pages breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  const onSettings = { path: "/settings", shows: "main section" };
  await lookAt(page, {
    sights: [
      { name: "settings", ...onSettings },
      { name: "palette", ...onSettings, act: openPalette },
      { name: "palette-found", ...onSettings, act: (tab) => search(tab, "se") },
      { name: "palette-nothing", ...onSettings, act: (tab) => search(tab, "xyz") },
      { name: "account-menu", ...onSettings, act: openAccountMenu },
      { name: "offline", path: "/devices", shows: "main h1", act: goOffline },
      { name: "new-version", path: "/send", shows: 'input[name="title"]', act: announceUpdate },
      { name: "nowhere", path: "/no/such/page", shows: "main a" },
    ],
    expected: /404/,
  });
});

async function openPalette(page: ConsolePage): Promise<void> {
  await page.find("header button:has(kbd)").click();
  await page.see('[role="dialog"] input');
}

async function search(page: ConsolePage, text: string): Promise<void> {
  await openPalette(page);
  await page.page.keyboard.type(text);
  await page.page.waitForFunction(
    `document.querySelector('[role="dialog"] input').value === ${JSON.stringify(text)}`,
  );
}

async function openAccountMenu(page: ConsolePage): Promise<void> {
  await page.page.locator("header [popovertarget]").click();
  await page.see("[popover]:popover-open a");
}

async function goOffline(page: ConsolePage): Promise<void> {
  await page.page.evaluate(`
    Object.defineProperty(navigator, "onLine", { get: () => false });
    dispatchEvent(new Event("offline"));
  `);
  await page.see('[role="status"] p');
}

/** Imitates a server update during typing: a script chunk of the page no longer exists. */
async function announceUpdate(page: ConsolePage): Promise<void> {
  await page.page.locator('input[name="title"]').fill("The backup of the night");
  await page.page.evaluate(`dispatchEvent(new Event("vite:preloadError", { cancelable: true }))`);
  await page.see('[role="status"] p button');
}
