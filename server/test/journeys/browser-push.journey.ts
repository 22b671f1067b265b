import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { HTTPRequest } from "puppeteer-core";
import { createClient, type DeviceResult, type SendResult } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import {
  createKeyOnPage,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
  type ConsoleUser,
} from "../support/console-fixture.ts";
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

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} shows notifications sent with a key until its subscription ends`, async (t) => {
    const { url, browsers, ann } = await setUpAnn(t, startBrowsers);
    const key = await createKeyOnPage(ann.page);
    const id = await send(url, { key, expect: [REACHED] });
    await browsers.waitForHandled(1);
    await assertShown(ann.page, { url, id });
    await browsers.openNotification(ann.page, id);
    await assertOpened(ann, id);

    // The opened page has registered the browser again by now, as every page does.
    await ann.page.navigate("Devices");
    await ann.page.waitFor('[data-notification-state="on"]');
    await ann.page.unsubscribe();
    await browsers.waitForUnsubscribed(1);
    await send(url, { key, expect: [GONE] });
    assert.deepEqual((await ann.client.devices.list()).items, []);
    await ann.page.navigate("Devices");
    await ann.page.waitUntilGone('ul[aria-label="All devices"] li');
    await ann.page.waitFor('ul[aria-label="Devices no longer registered"] li[data-id]');
    await ann.page.navigate("Notifications");
    const unpushed = await send(url, { key, expect: [] });
    // No push contained this notification: the page follows the live stream.
    await ann.page.waitFor(`article[data-notification="${unpushed}"]`);
    await ann.page.tab.reload();
    await ann.page.navigate("Devices");
    await ann.page.waitFor('[data-notification-state="off"]');
    assert.deepEqual(listVerdicts(browsers), ["accepted", "refused"]);
    assert.deepEqual(ann.page.consoleErrors, []);
  });

  test(`${browserName} leaves no device if its subscription ends while a page registers it`, async (t) => {
    const { url, browsers, ann } = await setUpAnn(t, startBrowsers);
    const { tab } = ann.page;
    await tab.setRequestInterception(true);
    const intercepted = new Promise<HTTPRequest>((resolve) => {
      tab.on("request", (request) => {
        const isRegistration = request.method() === "POST" && request.url().endsWith("/v1/devices");
        if (isRegistration) resolve(request);
        else void request.continue();
      });
    });
    await tab.goto(url);
    await ann.page.navigate("Devices");
    const registration = await intercepted;
    await ann.page.unsubscribe();
    await browsers.waitForUnsubscribed(1);
    await registration.continue();
    await ann.page.waitFor('[data-notification-state="off"]');
    assert.deepEqual((await ann.client.devices.list()).items, []);
    assert.deepEqual(ann.page.consoleErrors, []);
  });

  test(`${browserName} is connected again after the server lost its key`, async (t) => {
    const { fixture, url, browsers, ann } = await setUpAnn(t, startBrowsers);
    const key = await createKeyOnPage(ann.page);
    await ann.page.leave();
    await fixture.restart(() => rm(join(fixture.dataDir, "vapid.json")));
    await ann.page.tab.goto(url);
    await ann.page.navigate("Devices");
    await ann.page.waitFor('[data-notification-state="other-key"]');
    await ann.page.press("Connect again");
    await ann.page.waitFor('[data-notification-state="on"]');
    await ann.page.navigate("Notifications");
    assert.equal((await ann.client.devices.list()).items.length, 1);

    const id = await send(url, { key, expect: [REACHED] });
    await browsers.waitForHandled(1);
    await assertShown(ann.page, { url, id });
    assert.deepEqual(listVerdicts(browsers), ["accepted"]);
    assert.deepEqual(ann.page.consoleErrors, []);
  });

  test(`${browserName} shows a team's notifications to a member who joined by invitation`, async (t) => {
    const { url, browsers, ann } = await setUpAnn(t, startBrowsers);
    const team = await ann.client.teams.create({ name: "Night shift" });
    const bob = { name: "Bob", email: "bob@example.org", password: "a staple, correct" };
    const { link } = await ann.client.teams.invite(team.id, { email: bob.email });
    const page = await browsers.open(link);
    await page.fillIn({ name: bob.name, password: bob.password });
    await page.press("Create the account and join");
    await page.waitFor("h1 ::-p-text(You are a member of Night shift)");
    await page.followLink("Go to Tocsin");
    const client = createClient({ baseUrl: url });
    await client.signIn({ email: bob.email, password: bob.password });
    await turnOnNotifications({ page, client });

    const id = await send(url, { key: team.key, expect: [REACHED, REACHED] });
    await browsers.waitForHandled(2);
    for (const memberPage of [ann.page, page]) {
      const item = await assertShown(memberPage, { url, id });
      assert.match(item, /Night shift/);
      assert.deepEqual(memberPage.consoleErrors, []);
    }
    assert.deepEqual(listVerdicts(browsers), ["accepted", "accepted"]);
  });
}

/** Sets the server up as Ann and registers her browser as its first device. */
async function setUpAnn(
  t: TestContext,
  startBrowsers: (test: TestContext) => Promise<PushBrowsers>,
) {
  const browsers = await startBrowsers(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  return { fixture, url: fixture.url, browsers, ann };
}

/** Sends the alert as a script would; returns its id. */
async function send(
  url: string,
  { key, expect }: { readonly key: string; readonly expect: readonly DeviceResult[] },
): Promise<string> {
  const response = await fetch(`${url}/api/v1/notify`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ ...ALERT, icon: createIconUrl(url) }),
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  assert.equal(response.status, 200);
  // Every synchronous send has a response of this type.
  const { success, responses } = (await response.json()) as SendResult;
  assert.deepEqual(responses, expect);
  assert.equal(success, expect.includes(REACHED));
  return response.headers.get("x-notification-id") ?? "";
}

/** Returns an icon that the browser can load and that differs from its default bell. */
function createIconUrl(url: string): string {
  return `${url}/icons/bell-512.png`;
}

/** Asserts that the browser and the open page each show the alert once; returns the page's text of it. */
async function assertShown(
  page: ConsolePage,
  { url, id }: { readonly url: string; readonly id: string },
): Promise<string> {
  const { title, body } = ALERT;
  const data = { id, navigate: `${url}/n/${id}`, link: ALERT.link };
  assert.deepEqual(await page.waitForNotification(id), [
    { title, body, icon: createIconUrl(url), tag: id, requireInteraction: true, data },
  ]);
  const item = await page.waitFor(`article[data-unread][data-notification="${id}"]`);
  for (const text of [title, body, "ops"]) assert.ok(item.includes(text), item);
  return item;
}

/** Asserts that the page shows the notification in full and marks it as read. */
async function assertOpened({ page, client }: ConsoleUser, id: string): Promise<void> {
  const item = await page.waitFor(`article[data-opened-notification="${id}"][data-read]`);
  for (const text of [ALERT.body, "Open example.org"]) assert.ok(item.includes(text), item);
  assert.equal(new URL(page.tab.url()).pathname, `/n/${id}`);
  const [read] = (await client.feed.list()).items;
  assert.deepEqual([read?.id, typeof read?.readAt], [id, "string"]);
}

function listVerdicts({ service }: PushBrowsers): readonly string[] {
  return service.requests.map(({ verdict }) => verdict.kind);
}
