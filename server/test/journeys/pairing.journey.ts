import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, type ConsoleStage, type Visitor } from "../support/console-stage.ts";
import { startUpdatedConsole } from "../support/updated-console.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`a second ${browserName} pairs with a code, and both browsers get notifications`, async (t) => {
    const { browsers, stage, ann } = await setUpAnn(t, startBrowsers);
    await turnOnHere(ann.page);
    const code = await openDialog(ann.page);
    const otherTab = await browsers.open(`${stage.url}/add`);
    await otherTab.fillIn({ code: code.toLowerCase().replace("-", " ") });
    await otherTab.press("Add this device");
    await otherTab.see("h1 ::-p-text(Hello, Ann)");
    await ann.page.see('[role="dialog"] ::-p-text(Your phone is signed in)');
    await otherTab.press("Turn on notifications on this device");
    await otherTab.see('[data-capability="on"]');
    await ann.page.miss('[role="dialog"]');
    const { items } = await ann.client.devices.list();
    assert.equal(items.length, 2);
    for (const { id } of items) await ann.page.see(`main li[data-id="${id}"]`);

    const id = await send(stage, ann);
    for (const page of [ann.page, otherTab]) {
      assert.equal((await page.shown(id)).find(({ tag }) => tag === id)?.title, "For both");
    }
    const sessions = (await ann.client.sessions.list()).items;
    assert.equal(sessions.filter(({ isPaired }) => isPaired).length, 1);
    for (const page of [ann.page, otherTab]) assert.deepEqual(page.complaints, []);
  });
}

test("a pairing link signs a browser in once, after a click, and leaves the URL bar", async (t) => {
  const { browsers, stage, ann } = await setUpAnn(t, PUSH_BROWSERS.Chromium);
  const { url } = await createPairing(ann.page);
  const otherTab = await browsers.open(url);
  await otherTab.see("h1 ::-p-text(Add this device)");
  assert.equal(otherTab.page.url(), `${stage.url}/add`);
  assert.equal((await ann.client.sessions.list()).items.length, 2);
  await otherTab.press("Add this device");
  await otherTab.see("h1 ::-p-text(Hello, Ann)");
  await otherTab.follow("Go to notifications");
  await otherTab.see("[data-live=true]");

  const lateTab = await browsers.open(url);
  await lateTab.press("Add this device");
  assert.match(await lateTab.see('main [role="alert"]'), /already used, or is older/);
  await lateTab.press("Enter a code instead");
  await lateTab.fillIn({ code: "22222-22222" });
  await lateTab.press("Add this device");
  assert.match(await lateTab.see('form [role="alert"]'), /is wrong, was already used/);
  assert.deepEqual(otherTab.complaints, []);
  assert.deepEqual(
    lateTab.complaints.filter((complaint) => !complaint.includes("400")),
    [],
  );
});

test("the console shows cached notifications offline, and none after a sign-out", async (t) => {
  const { stage, ann } = await setUpAnn(t, PUSH_BROWSERS.Chromium);
  const { page } = ann;
  await turnOnHere(page);
  await page.go("Notifications");
  const id = await send(stage, ann);
  await page.see(LISTED_ITEM);
  await page.page.waitForFunction(HAS_CACHED_FEED);
  await page.leave();
  await stage.restart(async () => {
    await page.page.goto(`${stage.url}/welcome?pair=used`);
    await page.see(LISTED_ITEM);
    assert.match(
      await page.see("main"),
      /The server does not answer\. You see the notifications as of/,
    );
    await page.follow("For both");
    assert.match(await page.see(`[data-opened-notification="${id}"]`), /Hello/);
    assert.equal(new URL(page.page.url()).pathname, `/n/${id}`);
  });
  await page.press("Try again");
  await page.miss("::-p-text(The server does not answer)");
  await page.see(LISTED_ITEM);
  await page.go("Profile");
  await page.press("Sign out");
  await page.see("h1 ::-p-text(Sign in)");
  assert.equal(await page.page.evaluate(HAS_CACHED_FEED), false);
});

test("a new version of the console loads only when the user reloads", async (t) => {
  const { browsers, stage, ann } = await setUpAnn(t, PUSH_BROWSERS.Chromium);
  const updated = await startUpdatedConsole(t, stage.url);
  const { url } = await createPairing(ann.page);
  const page = await browsers.open(`${updated.url}/add${new URL(url).hash}`);
  await page.press("Add this device");
  await page.follow("Go to notifications");
  await page.go("Profile");
  await page.page.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.page.reload();
  await page.see("h1 ::-p-text(Profile)");
  await page.page.evaluate("window.isOld = true");
  updated.update();
  await page.page.evaluate(CHECK_FOR_UPDATE);
  await page.see("::-p-text(A new version is ready.)");
  assert.equal(await page.page.evaluate("window.isOld"), true);
  await page.press("Reload");
  await page.page.waitForFunction("window.isOld === undefined");
  await page.see("h1 ::-p-text(Profile)");
  await page.miss("::-p-text(A new version is ready.)");
  assert.deepEqual(page.complaints, []);
});

async function setUpAnn(t: TestContext, start: (test: TestContext) => Promise<PushBrowsers>) {
  const browsers = await start(t);
  const stage = await startStage(t, browsers);
  return { browsers, stage, ann: await setUp(stage, browsers) };
}

async function turnOnHere(page: ConsolePage): Promise<void> {
  await page.go("Devices");
  await page.press("Turn on notifications on this device");
  await page.see('[data-capability="on"]');
}

/** Opens the pairing dialog and returns its code. */
async function openDialog(page: ConsolePage): Promise<string> {
  await page.press("Add a phone");
  return page.see('[role="dialog"] output');
}

/** Creates a pairing with the page's session. */
async function createPairing({ page }: ConsolePage): Promise<{ readonly url: string }> {
  const pairing: unknown = await page.evaluate(CREATE_PAIRING);
  // The expression returns the created pairing.
  return pairing as { readonly url: string };
}

const CREATE_PAIRING = `fetch("/api/app/v1/pairings", { method: "POST" }).then((response) => response.json())`;

const LISTED_ITEM = "main ::-p-text(For both)";

const CHECK_FOR_UPDATE = `navigator.serviceWorker.ready.then((worker) => worker.update()).then(() => {})`;

const HAS_CACHED_FEED = `caches.has("tocsin-kept").then((exists) =>
  exists && caches.open("tocsin-kept").then((cache) => cache.keys()).then(({ length }) => length > 0))`;

async function send({ url }: ConsoleStage, { client }: Visitor): Promise<string> {
  const { key } = await client.keys.create({ kind: "account" });
  const sent = await createClient({ baseUrl: url, apiKey: key }).notify({
    title: "For both",
    body: "Hello",
  });
  assert.ok(sent.responses.every(({ success }) => success));
  return sent.notificationId ?? assert.fail();
}
