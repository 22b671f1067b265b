import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { launchChromium } from "../support/browsers.ts";
import { createDoubleConnector } from "./double-connector.ts";
import { TEXT_MAX_BYTES, WebPushSender } from "./web-push-sender.ts";
import { Gcm } from "./gcm.ts";
import { PushPage } from "./push-page.ts";

/** Long enough for Chromium on a busy machine. */
const WAIT_OPTIONS = { timeoutMs: 20_000 };

async function setUp(t: TestContext) {
  const gcm = await Gcm.start();
  const site = await PushPage.start();
  const sender = new WebPushSender(createDoubleConnector(gcm.service));
  t.after(async () => {
    await sender.close();
    await site.close();
    await gcm.close();
  });
  return { gcm, site, sender };
}

test("Chromium subscribes at Google's host, reads an independent sender's messages and unsubscribes", async (t) => {
  const { gcm, site, sender } = await setUp(t);
  const chromium = await launchChromium({ gcm });
  t.after(() => chromium.close());
  const page = await chromium.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);
  assert.ok(gcm.service.names.includes(new URL(target.endpoint).host), target.endpoint);

  const largest = "x".repeat(TEXT_MAX_BYTES);
  for (const text of ["Füße 🦊", largest]) {
    assert.equal(await sender.send(target, text), 201);
    assert.deepEqual(await site.events.next(WAIT_OPTIONS), { type: "push", text });
  }

  assert.equal((await sender.post(sender.composeDamaged(target, "damaged"))).status, 201);
  assert.equal(await sender.send(target, "good again"), 201);
  assert.deepEqual(await site.events.next(WAIT_OPTIONS), { type: "push", text: "good again" });

  assert.equal(await page.evaluate("unsubscribe()"), true);
  await gcm.waitForEndedSubscriptions(1, WAIT_OPTIONS);
  assert.equal(await sender.send(target, "too late"), 410);
});

test("Chromium receives a message sent while it was closed, and no message twice", async (t) => {
  const { gcm, site, sender } = await setUp(t);
  const chromium = await launchChromium({ gcm });
  t.after(() => chromium.close());
  const page = await chromium.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);
  assert.equal(await sender.send(target, "before"), 201);
  assert.equal((await site.events.next(WAIT_OPTIONS)).text, "before");
  await chromium.stop();
  assert.equal(await sender.send(target, "while you were away"), 201);

  await chromium.start();
  assert.deepEqual(await site.events.next(WAIT_OPTIONS), {
    type: "push",
    text: "while you were away",
  });
  assert.equal(await sender.send(target, "after"), 201);
  assert.equal((await site.events.next(WAIT_OPTIONS)).text, "after");
});
