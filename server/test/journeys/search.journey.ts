import assert from "node:assert/strict";
import test from "node:test";
import type { ConsolePage } from "../support/console-page.ts";
import { sendAll, setUp, startStage, turnOn } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const INPUT = 'input[aria-label="Search"]';

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} finds notifications, channels, devices, teams and settings from the keyboard`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page } = ann;
    await turnOn(ann);
    const team = await ann.client.teams.create({ name: "Night shift" });
    const id = await sendAll(stage, ann, [
      { title: "Disk full", body: "db-1 has 2 % left", channel: "databases" },
    ]);
    await page.see(`article[data-notification="${id}"]`);

    await find(page, "full disk", "Disk full");
    await page.see(`article[data-opened-notification="${id}"]`);
    await find(page, "datab", "databases");
    await page.page.waitForFunction(`location.search === "?channel=databases"`);
    await find(
      page,
      browserName === "Firefox" ? "firefox" : "chrome",
      `Ann's ${browserName === "Firefox" ? browserName : "Chrome"} on Linux`,
    );
    await page.see("main li[data-id]");
    await find(page, "night", "Night shift");
    await page.see(`main ::-p-text(Night shift)`);
    assert.equal(new URL(page.page.url()).pathname, `/teams/${team.id}`);
    await find(page, "ann@ex", "Ann");
    assert.equal(new URL(page.page.url()).pathname, `/teams/${team.id}`);
    await find(page, "two-factor", "Two-factor sign-in");
    await page.see("main ::-p-text(Passkeys)");
    assert.equal(new URL(page.page.url()).pathname, "/settings/security");
    assert.deepEqual(page.complaints, []);
  });

  test(`${browserName} focuses the page's search with one key, and lists all shortcuts`, async (t) => {
    const browsers = await startBrowsers(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page } = ann;
    const { keyboard } = page.page;
    const id = await sendAll(stage, ann, [{ title: "Disk full", body: "" }]);
    await page.see(`article[data-notification="${id}"]`);

    await keyboard.press("/");
    assert.equal(await page.page.evaluate(FOCUSED), "Search notifications");
    await keyboard.type("a/b?");
    await page.page.waitForFunction(`document.activeElement.value === "a/b?"`);
    await keyboard.press("Escape");
    assert.equal(await page.page.evaluate("document.activeElement.localName"), "main");

    await keyboard.press("?");
    const shortcuts = await page.see('[role="dialog"] table');
    for (const text of ["search everything", "search on this page", "next, previous"]) {
      assert.ok(shortcuts.includes(text), shortcuts);
    }
    await page.page.locator('[role="dialog"] ::-p-text(Single-key shortcuts)').click();
    await keyboard.press("Escape");
    await page.miss('[role="dialog"]');
    await keyboard.press("/");
    assert.notEqual(await page.page.evaluate(FOCUSED), "Search notifications");

    await find(page, "keyboard", "Keyboard shortcuts");
    await page.see('[role="dialog"] table');
    await page.page.locator('[role="dialog"] ::-p-text(Single-key shortcuts)').click();
    await keyboard.press("Escape");
    await page.miss('[role="dialog"]');
    await page.go("Devices");
    await page.see("main h1 ::-p-text(Devices)");
    // This page has no search field.
    await keyboard.press("/");
    await page.see(INPUT);
    assert.deepEqual(page.complaints, []);
  });
}

/** Clicks the result with exactly this name; evaluates to whether the palette has closed. */
const clickResult = (name: string) => `(() => {
  const label = [...document.querySelectorAll('[role="dialog"] button .mantine-Spotlight-actionLabel')]
    .find((element) => element.textContent === ${JSON.stringify(name)});
  label?.click();
  return document.querySelector('input[aria-label="Search"]') === null;
})()`;
const FOCUSED = `document.activeElement.getAttribute("aria-label")`;

/** Types into the palette and chooses the result with this name. */
async function find(page: ConsolePage, words: string, name: string): Promise<void> {
  const { keyboard } = page.page;
  await keyboard.down("Control");
  await keyboard.press("k");
  await keyboard.up("Control");
  await page.see(INPUT);
  await page.page.waitForFunction(`document.activeElement.matches(${JSON.stringify(INPUT)})`);
  await keyboard.type(words);
  // Retries: results for the first letters disappear while the rest is typed.
  await page.page.waitForFunction(clickResult(name));
  await page.miss(INPUT);
}
