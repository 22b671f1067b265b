import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { addDevice } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage } from "../support/console-stage.ts";
import { idOf, recordOnce } from "../support/log.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the log explains why a device was not reached, what was tried, and what to do", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  const add = (name: string) => addDevice({ push: stage.push }, { client }, name);
  const unsubscribed = await add("Old laptop");
  const tooLarge = await add("Tiny watch");
  const unstable = await add("Workshop tablet");
  const rejecting = await add("Angry phone");
  unsubscribed.phone.unsubscribe();
  tooLarge.phone.script({ kind: "answer", status: 413 });
  unstable.phone.script({ kind: "answer", status: 503 });
  // The server retries the first refusal with a new token.
  const refusal = { kind: "answer", status: 401 } as const;
  rejecting.phone.script(refusal, refusal, refusal, refusal);
  const { key } = await client.keys.create({ kind: "account", label: "Backup script" });
  const sender = createClient({ baseUrl: stage.url, apiKey: key });
  const id = idOf(await sender.notify({ title: "Disk almost full", body: "db-1" }));
  await recordOnce(client, id, ({ counts }) => counts.held === 1 && counts.queued === 0);

  await page.go("Sent");
  await page.press("Failed");
  await page.see("main li ::-p-text(2 failed)");
  assert.match(await page.see("main li"), /Disk almost full[^]*Backup script[^]*2 failed/);
  assert.match(page.page.url(), /state=failed/);
  await page.follow("Disk almost full");
  assert.match(await page.see("main dl"), /My devices[^]*Backup script/);

  const laptop = await expandDelivery(page, unsubscribed.device.id);
  assert.match(
    laptop,
    /no longer registered[^]*Its push service says that the subscription has ended/,
  );
  assert.match(laptop, /What to do: Open this page in the browser[^]*answered 410/);
  assert.match(await expandDelivery(page, tooLarge.device.id), /too large[^]*Send a shorter text/);
  const phone = await expandDelivery(page, rejecting.device.id);
  assert.match(phone, /held back[^]*rejects this server's credentials[^]*Ask the administrator/);
  assert.match(phone, /Next attempt in \d+/);
  const tablet = await expandDelivery(page, unstable.device.id);
  const steps = /1\. The attempt failed[^]*answered 503[^]*2\. The push service accepted it/;
  await page.see(
    `li[data-device="${unstable.device.id}"] ::-p-text(2. The push service accepted it)`,
  );
  assert.match(tablet, /Accepted by this server/);
  assert.match(await page.see(`li[data-device="${unstable.device.id}"]`), steps);

  await page.follow("Send again");
  await page.page.waitForFunction(
    `document.querySelector("main input[value='Disk almost full'], main textarea") !== null`,
  );

  await followReason(page);
  assert.deepEqual(page.complaints, []);
});

/** Follows a failure reason to its deliveries, then clears the filter. */
async function followReason(page: ConsolePage): Promise<void> {
  await page.go("Activity");
  // The notice about new devices covers the bottom of the page until it is closed.
  await page.press("Close");
  await page.miss("::-p-text(3 new devices)");
  await page.page.locator("main a ::-p-text(The device is no longer registered)").click();
  await page.see("main li ::-p-text(Disk almost full)");
  assert.match(page.page.url(), /state=failed&.*code=device_gone|code=device_gone&.*state=failed/);
  await page.press("The device is no longer registered: show all reasons");
  await page.miss("main button ::-p-text(no longer registered)");
}

/** Expands the delivery to one device and returns its text. */
async function expandDelivery(page: ConsolePage, deviceId: string): Promise<string> {
  const row = `li[data-device="${deviceId}"]`;
  await page.see(row);
  // Failures are already expanded.
  const closed = await page.page.$(`${row} button[aria-expanded="false"]`);
  await closed?.click();
  await page.see(`${row} ol`);
  return page.see(row);
}
