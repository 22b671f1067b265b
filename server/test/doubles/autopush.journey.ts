import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { launchFirefox } from "../support/browsers.ts";
import { Autopush } from "./autopush.ts";
import { dialTo } from "./dial.ts";
import { ForeignSender } from "./foreign-sender.ts";
import { PushPage } from "./push-page.ts";

/** Firefox on a busy machine. */
const PATIENCE = { timeoutMs: 20_000 };

async function stage(t: TestContext) {
  const autopush = await Autopush.start();
  const site = await PushPage.start();
  const sender = new ForeignSender(dialTo(autopush.service));
  t.after(async () => {
    await sender.close();
    await site.close();
    await autopush.close();
  });
  return { autopush, site, sender };
}

test("Firefox subscribes, reads a foreign sender's messages and says what became of them", async (t) => {
  const { autopush, site, sender } = await stage(t);
  const firefox = await launchFirefox({ autopush });
  t.after(() => firefox.close());
  const page = await firefox.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);

  const largest = "x".repeat(3_993);
  for (const text of ["Füße 🦊", largest]) {
    assert.equal(await sender.send(target, text), 201);
    assert.deepEqual(await site.events.next(PATIENCE), { type: "push", text });
    assert.equal((await autopush.receipts.next(PATIENCE)).code, 100);
  }
  // The browser keeps them in no order.
  assert.deepEqual(new Set(await site.titles(page)), new Set(["Füße 🦊", largest]));

  const letter = sender.compose(target, "hello");
  const body = Buffer.from(letter.body);
  body.writeUInt8(body.readUInt8(90) ^ 1, 90);
  assert.equal((await sender.post({ ...letter, body })).status, 201);
  assert.equal((await autopush.receipts.next(PATIENCE)).code, 101);

  assert.equal(await sender.send(target, "fail"), 201);
  // Taken at first; then the worker's promise is rejected.
  assert.equal((await autopush.receipts.next(PATIENCE)).code, 100);
  assert.equal((await autopush.receipts.next(PATIENCE)).code, 302);

  assert.equal(await page.evaluate("unsubscribe()"), true);
  await autopush.unsubscribed(1, PATIENCE);
  assert.equal(await sender.send(target, "too late"), 410);
});

test("Firefox gets what came while it was away, and learns that it was forgotten", async (t) => {
  const { autopush, site, sender } = await stage(t);
  const firefox = await launchFirefox({ autopush });
  t.after(() => firefox.close());
  const page = await firefox.newPage();
  await page.goto(site.url);
  const target = await site.subscribe(page, sender.keys.publicKey);
  await firefox.stop();
  assert.equal(await sender.send(target, "now or never", { TTL: 0 }), 201);
  assert.equal(await sender.send(target, "while you were away"), 201);

  await firefox.start();
  assert.deepEqual(await site.events.next(PATIENCE), { type: "push", text: "while you were away" });
  assert.equal((await autopush.receipts.next(PATIENCE)).code, 100);

  autopush.forgetUserAgents();
  assert.equal(await sender.send(target, "who?"), 410);
  assert.equal((await site.events.next(PATIENCE)).type, "pushsubscriptionchange");
});
