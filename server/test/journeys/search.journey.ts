import assert from "node:assert/strict";
import test from "node:test";
import type { ConsolePage } from "../support/console-page.ts";
import {
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const INPUT = 'input[aria-label="Search"]';

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} finds notifications, channels, devices, teams, policies, people and settings`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const { page } = ann;
    await turnOnNotifications(ann);
    const team = await ann.client.teams.create({ name: "Night shift" });
    const steps = [{ afterSeconds: 0, targets: [{ kind: "me" }] }] as const;
    await ann.client.escalationPolicies.create({ name: "Until the morning", steps });
    const id = await sendNotifications(fixture, ann, [
      { title: "Disk full", body: "db-1 has 2 % left", channel: "databases" },
    ]);
    await page.waitFor(`article[data-notification="${id}"]`);

    await searchAndChoose(page, "full disk", "Disk full");
    await page.waitFor(`article[data-opened-notification="${id}"]`);
    await searchAndChoose(page, "datab", "databases");
    await page.tab.waitForFunction(`location.search === "?channel=databases"`);
    await searchAndChoose(
      page,
      browserName === "Firefox" ? "firefox" : "chrome",
      `Ann's ${browserName === "Firefox" ? browserName : "Chrome"} on Linux`,
    );
    await page.waitFor("main li[data-id]");
    await searchAndChoose(page, "night", "Night shift");
    await page.waitFor(`main ::-p-text(Night shift)`);
    assert.equal(new URL(page.tab.url()).pathname, `/teams/${team.id}`);
    await searchAndChoose(page, "morning", "Until the morning");
    await page.waitFor("main li[data-id] ol");
    await searchAndChoose(page, "ann@ex", "Ann");
    assert.equal(new URL(page.tab.url()).pathname, `/teams/${team.id}`);
    await searchAndChoose(page, "two-factor", "Two-factor sign-in");
    await page.waitFor("main ::-p-text(Passkeys)");
    assert.equal(new URL(page.tab.url()).pathname, "/settings/security");
    assert.deepEqual(page.consoleErrors, []);
  });

  test(`${browserName} focuses the page's search with one key, and lists all shortcuts`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const { page } = ann;
    const { keyboard } = page.tab;
    const id = await sendNotifications(fixture, ann, [{ title: "Disk full", body: "" }]);
    await page.waitFor(`article[data-notification="${id}"]`);

    await keyboard.press("/");
    assert.equal(await page.tab.evaluate(FOCUSED_LABEL), "Search notifications");
    await keyboard.type("a/b?");
    await page.tab.waitForFunction(`document.activeElement.value === "a/b?"`);
    await keyboard.press("Escape");
    assert.equal(await page.tab.evaluate("document.activeElement.localName"), "main");

    await keyboard.press("?");
    const shortcuts = await page.waitFor('[role="dialog"] table');
    for (const text of ["search everything", "search on this page", "next, previous"]) {
      assert.ok(shortcuts.includes(text), shortcuts);
    }
    await page.tab.locator('[role="dialog"] ::-p-text(Single-key shortcuts)').click();
    await keyboard.press("Escape");
    await page.waitUntilGone('[role="dialog"]');
    await keyboard.press("/");
    assert.notEqual(await page.tab.evaluate(FOCUSED_LABEL), "Search notifications");

    await searchAndChoose(page, "keyboard", "Keyboard shortcuts");
    await page.waitFor('[role="dialog"] table');
    await page.tab.locator('[role="dialog"] ::-p-text(Single-key shortcuts)').click();
    await keyboard.press("Escape");
    await page.waitUntilGone('[role="dialog"]');
    await page.navigate("Devices");
    await page.waitFor("main h1 ::-p-text(Devices)");
    // This page has no search field.
    await keyboard.press("/");
    await page.waitFor(INPUT);
    assert.deepEqual(page.consoleErrors, []);
  });
}

/** Clicks the result with exactly this name; evaluates to whether the palette has closed. */
const buildClickExpression = (name: string) => `(() => {
  const label = [...document.querySelectorAll('[role="dialog"] button .mantine-Spotlight-actionLabel')]
    .find((element) => element.textContent === ${JSON.stringify(name)});
  label?.click();
  return document.querySelector('input[aria-label="Search"]') === null;
})()`;
const FOCUSED_LABEL = `document.activeElement.getAttribute("aria-label")`;

/** Types into the palette and chooses the result with this name. */
async function searchAndChoose(page: ConsolePage, words: string, name: string): Promise<void> {
  const { keyboard } = page.tab;
  await keyboard.down("Control");
  await keyboard.press("k");
  await keyboard.up("Control");
  await page.waitFor(INPUT);
  await page.tab.waitForFunction(`document.activeElement.matches(${JSON.stringify(INPUT)})`);
  await keyboard.type(words);
  // Retries: results for the first letters disappear while the rest is typed.
  await page.tab.waitForFunction(buildClickExpression(name));
  await page.waitUntilGone(INPUT);
}
