import assert from "node:assert/strict";
import test from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { setUp, startStage } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the API reference sends with a typed key, and requests nothing from other hosts", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { client } = await setUp(stage, browsers);
  const { key } = await client.keys.create({ kind: "account" });
  const page = await browsers.open(`${stage.url}/docs`);
  const { version } = manifest;
  assert.match(
    (await page.see(".info .version")).trim(),
    new RegExp(`^Tocsin ${version}, notification API`),
  );
  await page.press("Authorize");
  await page.page.locator(".modal-ux input").fill(key);
  await page.page.locator(".modal-ux .authorize").click();
  await page.page.locator(".modal-ux .btn-done").click();
  await page.page.locator("#operations-Notifications-notifyAsync button").click();
  await page.page.locator(".try-out__btn").click();
  await page.page.locator(".execute").click();
  assert.match(await page.see(".live-responses-table .response .response-col_status"), /^200/);
  const [sent] = (await client.notifications.list()).items;
  assert.equal(sent?.title, "Backup finished");
  // Its style sheet contains its icons as `data:` URLs.
  const complaints = page.complaints.filter((text) => !text.startsWith("a request to data:"));
  assert.deepEqual(complaints, []);
});
