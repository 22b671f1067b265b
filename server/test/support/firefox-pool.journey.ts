import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser } from "puppeteer-core";
import { createDoubleConnector } from "../doubles/double-connector.ts";
import { PushPage } from "../doubles/push-page.ts";
import { WebPushSender } from "../doubles/web-push-sender.ts";
import { lendFirefox, resetSharedAutopush } from "./firefox-pool.ts";

/** Long enough for Firefox on a busy machine. */
const WAIT_OPTIONS = { timeoutMs: 60_000 };

test("the Firefox of an earlier test has no data, subscription or notification of it", async (t) => {
  const site = await PushPage.start();
  t.after(() => site.close());
  let usedBrowser: Browser | null = null;

  await t.test("a test leaves data", async (first) => {
    const autopush = await resetSharedAutopush();
    const sender = new WebPushSender(createDoubleConnector(autopush.service));
    first.after(() => sender.close());
    const page = await (await lendFirefox(first, autopush)).newPage();
    usedBrowser = page.browser();
    await page.goto(site.url);
    const target = await site.subscribe(page, sender.keys.publicKey);
    assert.equal(await sender.send(target, "Disk full"), 201);
    // The worker reports this after it has shown the notification.
    const event = await site.events.next(WAIT_OPTIONS);
    assert.deepEqual(event, { type: "push", text: "Disk full" });
    await autopush.receipts.waitForCount(1, WAIT_OPTIONS);
    await page.evaluate(STORE);
    assert.deepEqual(await page.evaluate(READ), {
      cookie: "name=value",
      stored: "value",
      caches: ["cache"],
      databases: ["database"],
      workers: 1,
      notifications: ["Disk full"],
    });
  });

  await t.test("the next test finds none", async (second) => {
    const autopush = await resetSharedAutopush();
    assert.deepEqual([autopush.receipts.all, autopush.service.requests], [[], []]);
    const page = await (await lendFirefox(second, autopush)).newPage();
    assert.equal(page.browser(), usedBrowser);
    assert.equal((await page.browser().pages()).length, 2);
    await page.goto(site.url);
    const sender = new WebPushSender(createDoubleConnector(autopush.service));
    second.after(() => sender.close());
    assert.deepEqual(await page.evaluate(READ), {
      cookie: "",
      stored: null,
      caches: [],
      databases: [],
      workers: 0,
      notifications: [],
    });
    const target = await site.subscribe(page, sender.keys.publicKey);
    assert.equal(await sender.send(target, "Disk empty"), 201);
    const event = await site.events.next(WAIT_OPTIONS);
    assert.deepEqual(event, { type: "push", text: "Disk empty" });
    assert.deepEqual(await site.listTitles(page), ["Disk empty"]);
  });
});

const STORE = `(async () => {
  document.cookie = "name=value; max-age=3600";
  localStorage.setItem("name", "value");
  await caches.open("cache");
  await new Promise((resolve) => { indexedDB.open("database").onsuccess = resolve; });
})()`;

const READ = `(async () => {
  const registrations = await navigator.serviceWorker.getRegistrations();
  const shown = await Promise.all(registrations.map((registration) => registration.getNotifications()));
  return {
    cookie: document.cookie,
    stored: localStorage.getItem("name"),
    caches: await caches.keys(),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    workers: registrations.length,
    notifications: shown.flat().map(({ title }) => title),
  };
})()`;
