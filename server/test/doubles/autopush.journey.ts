import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { launchFirefox } from "../support/browsers.ts";
import { RECEIPT_CODES } from "./autopush-messages.ts";
import { Autopush } from "./autopush.ts";
import { createDoubleConnector } from "./double-connector.ts";
import { TEXT_MAX_BYTES, WebPushSender } from "./web-push-sender.ts";
import { PushPage } from "./push-page.ts";

/** Long enough for Firefox on a busy machine. */
const WAIT_OPTIONS = { timeoutMs: 20_000 };

async function setUp(t: TestContext) {
  const autopush = await Autopush.start();
  const site = await PushPage.start();
  const sender = new WebPushSender(createDoubleConnector(autopush.service));
  t.after(async () => {
    await sender.close();
    await site.close();
    await autopush.close();
  });
  return { autopush, site, sender };
}

test("Firefox subscribes, reads an independent sender's messages, reports outcomes and unsubscribes", async (t) => {
  const { autopush, site, sender } = await setUp(t);
  const firefox = await launchFirefox({ autopush });
  t.after(() => firefox.close());
  const page = await firefox.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);

  const largest = "x".repeat(TEXT_MAX_BYTES);
  for (const text of ["Füße 🦊", largest]) {
    assert.equal(await sender.send(target, text), 201);
    assert.deepEqual(await site.events.next(WAIT_OPTIONS), { type: "push", text });
    assert.equal((await autopush.receipts.next(WAIT_OPTIONS)).code, RECEIPT_CODES.delivered);
  }
  // The browser returns notifications in any order.
  assert.deepEqual(new Set(await site.listTitles(page)), new Set(["Füße 🦊", largest]));

  assert.equal((await sender.post(sender.composeDamaged(target, "hello"))).status, 201);
  assert.equal((await autopush.receipts.next(WAIT_OPTIONS)).code, RECEIPT_CODES.notDecrypted);

  assert.equal(await sender.send(target, "fail"), 201);
  // Delivered first; then the worker's promise is rejected.
  assert.equal((await autopush.receipts.next(WAIT_OPTIONS)).code, RECEIPT_CODES.delivered);
  assert.equal((await autopush.receipts.next(WAIT_OPTIONS)).code, RECEIPT_CODES.workerRejected);

  assert.equal(await page.evaluate("unsubscribe()"), true);
  await autopush.waitForEndedSubscriptions(1, WAIT_OPTIONS);
  assert.equal(await sender.send(target, "too late"), 410);
});

test("Firefox receives messages sent while it was closed, and notices that its registration is gone", async (t) => {
  const { autopush, site, sender } = await setUp(t);
  const firefox = await launchFirefox({ autopush });
  t.after(() => firefox.close());
  const page = await firefox.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);
  await firefox.stop();
  assert.equal(await sender.send(target, "now or never", { TTL: 0 }), 201);
  assert.equal(await sender.send(target, "while you were away"), 201);

  await firefox.start();
  assert.deepEqual(await site.events.next(WAIT_OPTIONS), {
    type: "push",
    text: "while you were away",
  });
  assert.equal((await autopush.receipts.next(WAIT_OPTIONS)).code, RECEIPT_CODES.delivered);

  autopush.forgetUserAgents();
  assert.equal(await sender.send(target, "who?"), 410);
  assert.equal((await site.events.next(WAIT_OPTIONS)).type, "pushsubscriptionchange");
});
