import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { addDevice } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { getNotificationId, waitForRecord } from "../support/notification-records.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the log explains why a device was not reached, what was tried, and what to do", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const add = (name: string) => addDevice({ push: fixture.push }, { client }, name);
  const oldLaptop = await add("Old laptop");
  const tinyWatch = await add("Tiny watch");
  const workshopTablet = await add("Workshop tablet");
  const angryPhone = await add("Angry phone");
  oldLaptop.phone.unsubscribe();
  tinyWatch.phone.script({ kind: "answer", status: 413 });
  workshopTablet.phone.script({ kind: "answer", status: 503 });
  // The server retries the first refusal with a new token.
  const refusal = { kind: "answer", status: 401 } as const;
  angryPhone.phone.script(refusal, refusal, refusal, refusal);
  const { key } = await client.keys.create({ kind: "account", label: "Backup script" });
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  const id = getNotificationId(await sender.notify({ title: "Disk almost full", body: "db-1" }));
  await waitForRecord(client, id, ({ counts }) => counts.held === 1 && counts.queued === 0);

  await page.navigate("Sent");
  await page.press("Failed");
  await page.waitFor("main li ::-p-text(2 failed)");
  assert.match(await page.waitFor("main li"), /Disk almost full[^]*Backup script[^]*2 failed/);
  assert.match(page.tab.url(), /state=failed/);
  await page.followLink("Disk almost full");
  assert.match(await page.waitFor("main dl"), /My devices[^]*Backup script/);

  const laptopText = await expandDelivery(page, oldLaptop.device.id);
  assert.match(
    laptopText,
    /no longer registered[^]*Its push service says that the subscription has ended/,
  );
  assert.match(laptopText, /What to do: Open this page in the browser[^]*answered 410/);
  assert.match(await expandDelivery(page, tinyWatch.device.id), /too large[^]*Send a shorter text/);
  const phoneText = await expandDelivery(page, angryPhone.device.id);
  assert.match(
    phoneText,
    /held back[^]*rejects this server's credentials[^]*Ask the administrator/,
  );
  assert.match(phoneText, /Next attempt in \d+/);
  const tabletText = await expandDelivery(page, workshopTablet.device.id);
  const steps = /1\. The attempt failed[^]*answered 503[^]*2\. The push service accepted it/;
  await page.waitFor(
    `li[data-device="${workshopTablet.device.id}"] ::-p-text(2. The push service accepted it)`,
  );
  assert.match(tabletText, /Accepted by this server/);
  assert.match(await page.waitFor(`li[data-device="${workshopTablet.device.id}"]`), steps);

  await page.followLink("Send again");
  await page.tab.waitForFunction(
    `document.querySelector("main input[value='Disk almost full'], main textarea") !== null`,
  );

  await followReasonLink(page);
  assert.deepEqual(page.consoleErrors, []);
});

/** Follows a failure reason to its deliveries, then clears the filter. */
async function followReasonLink(page: ConsolePage): Promise<void> {
  await page.navigate("Activity");
  // The notice about new devices covers the bottom of the page until it is closed.
  await page.press("Close");
  await page.waitUntilGone("::-p-text(3 new devices)");
  await page.tab.locator("main a ::-p-text(The device is no longer registered)").click();
  await page.waitFor("main li ::-p-text(Disk almost full)");
  assert.match(page.tab.url(), /state=failed&.*code=device_gone|code=device_gone&.*state=failed/);
  await page.press("The device is no longer registered: show all reasons");
  await page.waitUntilGone("main button ::-p-text(no longer registered)");
}

/** Expands the delivery to one device and returns its text. */
async function expandDelivery(page: ConsolePage, deviceId: string): Promise<string> {
  const row = `li[data-device="${deviceId}"]`;
  await page.waitFor(row);
  // Failures are already expanded.
  const collapsedButton = await page.tab.$(`${row} button[aria-expanded="false"]`);
  await collapsedButton?.click();
  await page.waitFor(`${row} ol`);
  return page.waitFor(row);
}
