import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { launchChromium } from "../support/browsers.ts";
import { dialTo } from "./dial.ts";
import { ForeignSender } from "./foreign-sender.ts";
import { Gcm } from "./gcm.ts";
import { PushPage } from "./push-page.ts";

/** Chromium on a busy machine. */
const PATIENCE = { timeoutMs: 20_000 };

async function stage(t: TestContext) {
  const gcm = await Gcm.start();
  const site = await PushPage.start();
  const sender = new ForeignSender(dialTo(gcm.service));
  t.after(async () => {
    await sender.close();
    await site.close();
    await gcm.close();
  });
  return { gcm, site, sender };
}

test("Chromium subscribes under Google's name and reads a foreign sender's messages", async (t) => {
  const { gcm, site, sender } = await stage(t);
  const chromium = await launchChromium({ gcm });
  t.after(() => chromium.close());
  const page = await chromium.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);
  assert.ok(gcm.service.names.includes(new URL(target.endpoint).host), target.endpoint);

  const largest = "x".repeat(3_993);
  for (const text of ["Füße 🦊", largest]) {
    assert.equal(await sender.send(target, text), 201);
    assert.deepEqual(await site.events.next(PATIENCE), { type: "push", text });
  }

  const letter = sender.compose(target, "spoiled");
  const body = Buffer.from(letter.body);
  body.writeUInt8(body.readUInt8(90) ^ 1, 90);
  assert.equal((await sender.post({ ...letter, body })).status, 201);
  assert.equal(await sender.send(target, "good again"), 201);
  assert.deepEqual(await site.events.next(PATIENCE), { type: "push", text: "good again" });

  assert.equal(await page.evaluate("unsubscribe()"), true);
  await gcm.unsubscribed(1, PATIENCE);
  assert.equal(await sender.send(target, "too late"), 410);
});

test("Chromium gets what came while it was away, once", async (t) => {
  const { gcm, site, sender } = await stage(t);
  const chromium = await launchChromium({ gcm });
  t.after(() => chromium.close());
  const page = await chromium.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);
  assert.equal(await sender.send(target, "before"), 201);
  assert.equal((await site.events.next(PATIENCE)).text, "before");
  await chromium.stop();
  assert.equal(await sender.send(target, "while you were away"), 201);

  await chromium.start();
  assert.deepEqual(await site.events.next(PATIENCE), { type: "push", text: "while you were away" });
  assert.equal(await sender.send(target, "after"), 201);
  assert.equal((await site.events.next(PATIENCE)).text, "after");
});
