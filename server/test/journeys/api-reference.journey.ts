import assert from "node:assert/strict";
import test from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the API reference sends with a key that a person enters, and requests nothing from other hosts", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { client } = await setUpServer(fixture, browsers);
  const { key } = await client.keys.create({ kind: "account" });
  const page = await browsers.open(`${fixture.url}/docs`);
  const { version } = manifest;
  assert.match(
    (await page.waitFor(".info .version")).trim(),
    new RegExp(`^Tocsin ${version}, notification API`),
  );
  await page.press("Authorize");
  await page.tab.locator(".modal-ux input").fill(key);
  await page.tab.locator(".modal-ux .authorize").click();
  await page.tab.locator(".modal-ux .btn-done").click();
  await page.tab.locator("#operations-Notifications-notifyAsync button").click();
  await page.tab.locator(".try-out__btn").click();
  await page.tab.locator(".execute").click();
  assert.match(await page.waitFor(".live-responses-table .response .response-col_status"), /^200/);
  const [sent] = (await client.notifications.list()).items;
  assert.equal(sent?.title, "Backup finished");
  // The style sheet embeds its icons as `data:` URLs, which reach no host.
  const consoleErrors = page.consoleErrors.filter((text) => !text.startsWith("a request to data:"));
  assert.deepEqual(consoleErrors, []);
});
