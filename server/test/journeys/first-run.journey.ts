import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { makeKey, setUp, startStage } from "../support/console-stage.ts";
import { startOwnTime } from "../support/own-time.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

/** What a person is promised. */
const TWO_MINUTES_MS = 120_000;
/** A Chromium that was just started may sign in to its push service late. */
const SUBSCRIBED_WITHIN_MS = 180_000;

for (const [name, open] of Object.entries(PUSH_BROWSERS)) {
  test(`in ${name}, the printed link leads to a shown notification, each step on the way can be left`, async (t) => {
    const browsers = await open(t);
    const stage = await startStage(t, browsers);
    const ownMs = startOwnTime();
    const { page } = await setUp(stage, browsers);
    const steps = await page.see("main ol ::-p-text(Everybody)").then(() => page.see("main ol"));
    assert.match(steps, /The address that people will use/);
    assert.match(steps, /this machine alone/);
    assert.match(steps, /TOCSIN_SIGN_UP decides this/);
    for (let left = 3; left > 0; left -= 1) await page.press("Leave it like this");
    await page.miss("main ol ::-p-text(Leave it like this)");
    await page.press("Turn on notifications on this device");
    const isOn = "main ol ::-p-text(Notifications are on, on this device)";
    await page.page.waitForSelector(isOn, { timeout: SUBSCRIBED_WITHIN_MS });
    const apiKey = await makeKey(page);
    const sender = createClient({ baseUrl: stage.url, apiKey });
    const { notificationId } = await sender.notify({ title: "It works", body: "The first one." });
    const shown = await page.shown(notificationId ?? "");
    assert.deepEqual(
      shown.map(({ title }) => title),
      ["It works"],
    );
    await page.see("main ::-p-text(The first one.)");
    assert.ok(ownMs() < TWO_MINUTES_MS);
    assert.deepEqual(page.complaints, []);
  });
}
