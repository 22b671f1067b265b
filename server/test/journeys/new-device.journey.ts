import assert from "node:assert/strict";
import test from "node:test";
import { addDevice } from "../support/app.ts";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("a page announces devices added elsewhere, and removes several at once", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await page.navigate("Devices");
  await page.press("Turn on notifications on this device");
  await page.waitFor('[data-notification-state="on"]');
  const [thisDevice] = (await client.devices.list()).items;
  await page.navigate("Notifications");

  const doorBell = await addDevice(fixture, { client }, "Door bell");
  // If the page announced this browser too, the notice would count two devices.
  await page.waitFor("::-p-text(New device: Door bell)");
  const radio = await addDevice(fixture, { client }, "Radio");
  await page.waitFor("::-p-text(2 new devices)");
  await client.devices.remove(doorBell.device.id);
  await page.waitFor("::-p-text(New device: Radio)");
  await page.press("Open my devices");
  await page.waitFor(`main li[data-id="${radio.device.id}"]`);
  await page.waitUntilGone("::-p-text(New device: Radio)");

  await addDevice(fixture, { client }, "Tablet");
  await page.waitFor("::-p-text(New device: Tablet)");
  await page.press("Remove several devices");
  await page.press("All except this device");
  await page.waitFor('[role="dialog"] [role="status"] ::-p-text(2 of 3 selected)');
  await page.press("Remove selected");
  await page.waitUntilGone('[role="dialog"]');
  await page.waitUntilGone("::-p-text(New device: Tablet)");
  await page.waitUntilGone(`main li[data-id="${radio.device.id}"]`);
  assert.deepEqual(
    (await client.devices.list()).items.map(({ id }) => id),
    [thisDevice?.id],
  );
  assert.deepEqual(page.consoleErrors, []);
});
