import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { HTTPRequest } from "puppeteer-core";
import { createClient, type DeviceResult, type SendResult } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import { makeKey, setUp, startStage, turnOn, type Visitor } from "../support/console-stage.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const ALERT = {
  title: "Disk full",
  body: "db-1 has 2 % left 🦊",
  channel: "ops",
  link: "https://example.org/disks",
  timeSensitive: true,
};
const SEND_TIMEOUT_MS = 30_000;
const REACHED = {
  success: true,
  message: "Accepted by the browser's push service. Delivery to the device is up to the service.",
};
const GONE = {
  success: false,
  message: "The device is no longer registered. It has been removed.",
};

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${make} shows what is sent with a key, until its subscription ends`, async (t) => {
    const { url, browsers, ann } = await arrive(t, startBrowsers);
    const key = await makeKey(ann.page);
    const id = await send(url, { key, expect: [REACHED] });
    await browsers.taken(1);
    await isShown(ann.page, { url, id });
    await browsers.follow(ann.page, id);
    await isOpened(ann, id);

    // By then the page that was opened has registered the browser again, as every page does.
    await ann.page.go("Devices");
    await ann.page.see('[data-capability="on"]');
    await ann.page.unsubscribe();
    await browsers.unsubscribed(1);
    await send(url, { key, expect: [GONE] });
    assert.deepEqual((await ann.client.devices.list()).items, []);
    await ann.page.go("Devices");
    await ann.page.miss('ul[aria-label="All devices"] li');
    await ann.page.see('ul[aria-label="Devices no longer registered"] li[data-id]');
    await ann.page.go("Notifications");
    const unsent = await send(url, { key, expect: [] });
    // No push brought this one: the page follows the live stream.
    await ann.page.see(`article[data-notification="${unsent}"]`);
    await ann.page.page.reload();
    await ann.page.go("Devices");
    await ann.page.see('[data-capability="off"]');
    assert.deepEqual(verdictsOf(browsers), ["accepted", "refused"]);
    assert.deepEqual(ann.page.complaints, []);
  });

  test(`${make} leaves no device if its subscription ends while a page registers it`, async (t) => {
    const { url, browsers, ann } = await arrive(t, startBrowsers);
    const { page } = ann.page;
    await page.setRequestInterception(true);
    const held = new Promise<HTTPRequest>((resolve) => {
      page.on("request", (request) => {
        const isRegistration = request.method() === "POST" && request.url().endsWith("/v1/devices");
        if (isRegistration) resolve(request);
        else void request.continue();
      });
    });
    await page.goto(url);
    await ann.page.go("Devices");
    const registration = await held;
    await ann.page.unsubscribe();
    await browsers.unsubscribed(1);
    await registration.continue();
    await ann.page.see('[data-capability="off"]');
    assert.deepEqual((await ann.client.devices.list()).items, []);
    assert.deepEqual(ann.page.complaints, []);
  });

  test(`${make} is connected again after the server lost its key`, async (t) => {
    const { stage, url, browsers, ann } = await arrive(t, startBrowsers);
    const key = await makeKey(ann.page);
    await ann.page.leave();
    await stage.restart(() => rm(join(stage.dataDir, "vapid.json")));
    await ann.page.page.goto(url);
    await ann.page.go("Devices");
    await ann.page.see('[data-capability="other-key"]');
    await ann.page.press("Connect again");
    await ann.page.see('[data-capability="on"]');
    await ann.page.go("Notifications");
    assert.equal((await ann.client.devices.list()).items.length, 1);

    const id = await send(url, { key, expect: [REACHED] });
    await browsers.taken(1);
    await isShown(ann.page, { url, id });
    assert.deepEqual(verdictsOf(browsers), ["accepted"]);
    assert.deepEqual(ann.page.complaints, []);
  });

  test(`${make} shows a team's notifications to whom an invitation made a member`, async (t) => {
    const { url, browsers, ann } = await arrive(t, startBrowsers);
    const team = await ann.client.teams.create({ name: "Night shift" });
    const bob = { name: "Bob", email: "bob@example.org", password: "a staple, correct" };
    const { link } = await ann.client.teams.invite(team.id, { email: bob.email });
    const page = await browsers.open(link);
    await page.fillIn({ name: bob.name, password: bob.password });
    await page.press("Create the account and join");
    await page.see("h1 ::-p-text(You are a member of Night shift)");
    await page.follow("Go to Tocsin");
    const client = createClient({ baseUrl: url });
    await client.signIn({ email: bob.email, password: bob.password });
    await turnOn({ page, client });

    const id = await send(url, { key: team.key, expect: [REACHED, REACHED] });
    await browsers.taken(2);
    for (const one of [ann.page, page]) {
      const item = await isShown(one, { url, id });
      assert.match(item, /Night shift/);
      assert.deepEqual(one.complaints, []);
    }
    assert.deepEqual(verdictsOf(browsers), ["accepted", "accepted"]);
  });
}

/** Ann has set the server up, and her browser is its first device. */
async function arrive(t: TestContext, startBrowsers: (test: TestContext) => Promise<PushBrowsers>) {
  const browsers = await startBrowsers(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await turnOn(ann);
  return { stage, url: stage.url, browsers, ann };
}

/** Sends the alert as a script would; returns its id. */
async function send(
  url: string,
  { key, expect }: { readonly key: string; readonly expect: readonly DeviceResult[] },
): Promise<string> {
  const answer = await fetch(`${url}/api/v1/notify`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ ...ALERT, icon: iconOf(url) }),
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  assert.equal(answer.status, 200);
  // The contract's answer to a synchronous send.
  const { success, responses } = (await answer.json()) as SendResult;
  assert.deepEqual(responses, expect);
  assert.equal(success, expect.includes(REACHED));
  return answer.headers.get("x-notification-id") ?? "";
}

/** A picture that the browser can load, other than the bell that it shows where there is none. */
function iconOf(url: string): string {
  return `${url}/icons/bell-512.png`;
}

/** The browser shows the alert, once, and so does the open page; returns the page's text of it. */
async function isShown(
  page: ConsolePage,
  { url, id }: { readonly url: string; readonly id: string },
): Promise<string> {
  const { title, body } = ALERT;
  const data = { id, navigate: `${url}/n/${id}`, link: ALERT.link };
  assert.deepEqual(await page.shown(id), [
    { title, body, icon: iconOf(url), tag: id, requireInteraction: true, data },
  ]);
  const item = await page.see(`article[data-unread][data-notification="${id}"]`);
  for (const text of [title, body, "ops"]) assert.ok(item.includes(text), item);
  return item;
}

/** The page shows the notification by itself, in full, and it counts as read. */
async function isOpened({ page, client }: Visitor, id: string): Promise<void> {
  const item = await page.see(`article[data-opened-notification="${id}"][data-read]`);
  for (const text of [ALERT.body, "Open example.org"]) assert.ok(item.includes(text), item);
  assert.equal(new URL(page.page.url()).pathname, `/n/${id}`);
  const [read] = (await client.feed.list()).items;
  assert.deepEqual([read?.id, typeof read?.readAt], [id, "string"]);
}

function verdictsOf({ service }: PushBrowsers): readonly string[] {
  return service.judged.map(({ verdict }) => verdict.kind);
}
