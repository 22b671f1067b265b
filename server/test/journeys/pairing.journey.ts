import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import {
  setUpServer,
  startConsoleFixture,
  type ConsoleFixture,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import { startUpdatedConsole } from "../support/updated-console.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`a second ${browserName} pairs with a code, and both browsers get notifications`, async (t) => {
    const { browsers, fixture, ann } = await setUpAnn(t, startBrowsers);
    await turnOnNotificationsInThisBrowser(ann.page);
    const code = await openPairingDialog(ann.page);
    const otherPage = await browsers.open(`${fixture.url}/add`);
    await otherPage.fillIn({ code: code.toLowerCase().replace("-", " ") });
    await otherPage.press("Add this device");
    await otherPage.waitFor("h1 ::-p-text(Hello, Ann)");
    await ann.page.waitFor('[role="dialog"] ::-p-text(Your phone is signed in)');
    await otherPage.press("Turn on notifications on this device");
    await otherPage.waitFor('[data-notification-state="on"]');
    await ann.page.waitUntilGone('[role="dialog"]');
    const { items } = await ann.client.devices.list();
    assert.equal(items.length, 2);
    for (const { id } of items) await ann.page.waitFor(`main li[data-id="${id}"]`);

    const id = await send(fixture, ann);
    for (const page of [ann.page, otherPage]) {
      assert.equal(
        (await page.waitForNotification(id)).find(({ tag }) => tag === id)?.title,
        "For both",
      );
    }
    const sessions = (await ann.client.sessions.list()).items;
    assert.equal(sessions.filter(({ isPaired }) => isPaired).length, 1);
    for (const page of [ann.page, otherPage]) assert.deepEqual(page.consoleErrors, []);
  });
}

test("a pairing link signs a browser in once, after a click, and leaves the URL bar", async (t) => {
  const { browsers, fixture, ann } = await setUpAnn(t, PUSH_BROWSERS.Chromium);
  const { url } = await createPairing(ann.page);
  const otherPage = await browsers.open(url);
  await otherPage.waitFor("h1 ::-p-text(Add this device)");
  assert.equal(otherPage.tab.url(), `${fixture.url}/add`);
  assert.equal((await ann.client.sessions.list()).items.length, 2);
  await otherPage.press("Add this device");
  await otherPage.waitFor("h1 ::-p-text(Hello, Ann)");
  await otherPage.followLink("Go to notifications");
  await otherPage.waitFor("[data-live=true]");

  const latePage = await browsers.open(url);
  await latePage.press("Add this device");
  assert.match(await latePage.waitFor('main [role="alert"]'), /already used, or is older/);
  await latePage.press("Enter a code instead");
  await latePage.fillIn({ code: "22222-22222" });
  await latePage.press("Add this device");
  assert.match(await latePage.waitFor('form [role="alert"]'), /is wrong, was already used/);
  assert.deepEqual(otherPage.consoleErrors, []);
  assert.deepEqual(
    latePage.consoleErrors.filter((error) => !error.includes("400")),
    [],
  );
});

test("the console shows cached notifications offline, and none after a sign-out", async (t) => {
  const { fixture, ann } = await setUpAnn(t, PUSH_BROWSERS.Chromium);
  const { page } = ann;
  await turnOnNotificationsInThisBrowser(page);
  await page.navigate("Notifications");
  const id = await send(fixture, ann);
  await page.waitFor(LISTED_ITEM);
  await page.tab.waitForFunction(HAS_CACHED_FEED);
  await page.leave();
  await fixture.restart(async () => {
    await page.tab.goto(`${fixture.url}/welcome?pair=used`);
    await page.waitFor(LISTED_ITEM);
    assert.match(
      await page.waitFor("main"),
      /The server is not responding\. You see the notifications as of/,
    );
    await page.followLink("For both");
    assert.match(await page.waitFor(`[data-opened-notification="${id}"]`), /Hello/);
    assert.equal(new URL(page.tab.url()).pathname, `/n/${id}`);
  });
  await page.press("Try again");
  await page.waitUntilGone("::-p-text(The server is not responding)");
  await page.waitFor(LISTED_ITEM);
  await page.navigate("Profile");
  await page.press("Sign out");
  await page.waitFor("h1 ::-p-text(Sign in)");
  assert.equal(await page.tab.evaluate(HAS_CACHED_FEED), false);
});

test("a new version of the console loads only when the user reloads", async (t) => {
  const { browsers, fixture, ann } = await setUpAnn(t, PUSH_BROWSERS.Chromium);
  const updated = await startUpdatedConsole(t, fixture.url);
  const { url } = await createPairing(ann.page);
  const page = await browsers.open(`${updated.url}/add${new URL(url).hash}`);
  await page.press("Add this device");
  await page.followLink("Go to notifications");
  await page.navigate("Profile");
  await page.tab.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.tab.reload();
  await page.waitFor("h1 ::-p-text(Profile)");
  await page.tab.evaluate("window.isOld = true");
  updated.update();
  await page.tab.evaluate(CHECK_FOR_UPDATE);
  await page.waitFor("::-p-text(A new version is ready.)");
  assert.equal(await page.tab.evaluate("window.isOld"), true);
  await page.press("Reload");
  await page.tab.waitForFunction("window.isOld === undefined");
  await page.waitFor("h1 ::-p-text(Profile)");
  await page.waitUntilGone("::-p-text(A new version is ready.)");
  assert.deepEqual(page.consoleErrors, []);
});

async function setUpAnn(t: TestContext, start: (test: TestContext) => Promise<PushBrowsers>) {
  const browsers = await start(t);
  const fixture = await startConsoleFixture(t, browsers);
  return { browsers, fixture, ann: await setUpServer(fixture, browsers) };
}

async function turnOnNotificationsInThisBrowser(page: ConsolePage): Promise<void> {
  await page.navigate("Devices");
  await page.press("Turn on notifications on this device");
  await page.waitFor('[data-notification-state="on"]');
}

/** Opens the pairing dialog and returns its code. */
async function openPairingDialog(page: ConsolePage): Promise<string> {
  await page.press("Add a phone");
  return page.waitFor('[role="dialog"] output');
}

/** Creates a pairing with the page's session. */
async function createPairing({ tab }: ConsolePage): Promise<{ readonly url: string }> {
  const pairing: unknown = await tab.evaluate(CREATE_PAIRING);
  // The expression returns the created pairing.
  return pairing as { readonly url: string };
}

const CREATE_PAIRING = `fetch("/api/app/v1/pairings", { method: "POST" }).then((response) => response.json())`;

const LISTED_ITEM = "main ::-p-text(For both)";

const CHECK_FOR_UPDATE = `navigator.serviceWorker.ready.then((worker) => worker.update()).then(() => {})`;

/** Name of the browser's cache that holds the feed for reading offline, as in the console. */
const OFFLINE_CACHE_NAME = "tocsin-kept";
const HAS_CACHED_FEED = `caches.has("${OFFLINE_CACHE_NAME}").then((exists) =>
  exists && caches.open("${OFFLINE_CACHE_NAME}").then((cache) => cache.keys()).then(({ length }) => length > 0))`;

async function send({ url }: ConsoleFixture, { client }: ConsoleUser): Promise<string> {
  const { key } = await client.keys.create({ kind: "account" });
  const sendResponse = await createClient({ baseUrl: url, apiKey: key }).notify({
    title: "For both",
    body: "Hello",
  });
  assert.ok(sendResponse.responses.every(({ success }) => success));
  return sendResponse.notificationId ?? assert.fail();
}
