import assert from "node:assert/strict";
import test from "node:test";
import { addDevice } from "../support/app.ts";
import { setUp, startStage } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("a page announces devices added elsewhere, and removes several at once", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  await page.go("Devices");
  await page.press("Turn on notifications on this device");
  await page.see('[data-capability="on"]');
  const [thisDevice] = (await client.devices.list()).items;
  await page.go("Notifications");

  const bell = await addDevice(stage, { client }, "Door bell");
  // A notice about this browser would make it two devices.
  await page.see("::-p-text(New device: Door bell)");
  const radio = await addDevice(stage, { client }, "Radio");
  await page.see("::-p-text(2 new devices)");
  await client.devices.remove(bell.device.id);
  await page.see("::-p-text(New device: Radio)");
  await page.press("Open my devices");
  await page.see(`main li[data-id="${radio.device.id}"]`);
  await page.miss("::-p-text(New device: Radio)");

  await addDevice(stage, { client }, "Tablet");
  await page.see("::-p-text(New device: Tablet)");
  await page.press("Remove several devices");
  await page.press("All except this device");
  await page.see('[role="dialog"] [role="status"] ::-p-text(2 of 3 selected)');
  await page.press("Remove selected");
  await page.miss('[role="dialog"]');
  await page.miss("::-p-text(New device: Tablet)");
  await page.miss(`main li[data-id="${radio.device.id}"]`);
  assert.deepEqual(
    (await client.devices.list()).items.map(({ id }) => id),
    [thisDevice?.id],
  );
  assert.deepEqual(page.complaints, []);
});
