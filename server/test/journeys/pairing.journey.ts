import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, type ConsoleStage, type Visitor } from "../support/console-stage.ts";
import { startUpdatedConsole } from "../support/updated-console.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

for (const [make, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`a second ${make} comes in by a code, and both are notified`, async (t) => {
    const { browsers, stage, ann } = await begin(t, startBrowsers);
    await turnOnHere(ann.page);
    const code = await openDialog(ann.page);
    const other = await browsers.open(`${stage.url}/add`);
    await other.fillIn({ code: code.toLowerCase().replace("-", " ") });
    await other.press("Add this device");
    await other.see("h1 ::-p-text(Hello, Ann)");
    await ann.page.see('[role="dialog"] ::-p-text(Your phone is signed in)');
    await other.press("Turn on notifications on this device");
    await other.see('[data-capability="on"]');
    await ann.page.miss('[role="dialog"]');
    const { items } = await ann.client.devices.list();
    assert.equal(items.length, 2);
    for (const { id } of items) await ann.page.see(`main li[data-id="${id}"]`);

    const id = await send(stage, ann);
    for (const page of [ann.page, other]) {
      assert.equal((await page.shown(id)).find(({ tag }) => tag === id)?.title, "For both");
    }
    const sessions = (await ann.client.sessions.list()).items;
    assert.equal(sessions.filter(({ isPaired }) => isPaired).length, 1);
    for (const page of [ann.page, other]) assert.deepEqual(page.complaints, []);
  });
}

test("a link brings a browser in once, by a press, and leaves no trace in its address", async (t) => {
  const { browsers, stage, ann } = await begin(t, PUSH_BROWSERS.Chromium);
  const { url } = await pairingOf(ann.page);
  const other = await browsers.open(url);
  await other.see("h1 ::-p-text(Add this device)");
  assert.equal(other.page.url(), `${stage.url}/add`);
  assert.equal((await ann.client.sessions.list()).items.length, 2);
  await other.press("Add this device");
  await other.see("h1 ::-p-text(Hello, Ann)");
  await other.follow("Go to notifications");
  await other.see("[data-live=true]");

  const late = await browsers.open(url);
  await late.press("Add this device");
  assert.match(await late.see('main [role="alert"]'), /already used, or is older/);
  await late.press("Enter a code instead");
  await late.fillIn({ code: "22222-22222" });
  await late.press("Add this device");
  assert.match(await late.see('form [role="alert"]'), /is wrong, was already used/);
  assert.deepEqual(other.complaints, []);
  assert.deepEqual(
    late.complaints.filter((complaint) => !complaint.includes("400")),
    [],
  );
});

test("the app shows its last notifications without the server, and those of nobody who signed out", async (t) => {
  const { stage, ann } = await begin(t, PUSH_BROWSERS.Chromium);
  const { page } = ann;
  await turnOnHere(page);
  await page.go("Notifications");
  const id = await send(stage, ann);
  await page.see(LISTED);
  await page.page.waitForFunction(KEPT);
  await page.leave();
  await stage.restart(async () => {
    await page.page.goto(`${stage.url}/welcome?pair=used`);
    await page.see(LISTED);
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
  await page.see(LISTED);
  await page.go("Profile");
  await page.press("Sign out");
  await page.see("h1 ::-p-text(Sign in)");
  assert.equal(await page.page.evaluate(KEPT), false);
});

test("a new version of the console waits until the person wants it", async (t) => {
  const { browsers, stage, ann } = await begin(t, PUSH_BROWSERS.Chromium);
  const updated = await startUpdatedConsole(t, stage.url);
  const { url } = await pairingOf(ann.page);
  const page = await browsers.open(`${updated.url}/add${new URL(url).hash}`);
  await page.press("Add this device");
  await page.follow("Go to notifications");
  await page.go("Profile");
  await page.page.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.page.reload();
  await page.see("h1 ::-p-text(Profile)");
  await page.page.evaluate("window.isOld = true");
  updated.update();
  await page.page.evaluate(LOOK_FOR_UPDATE);
  await page.see("::-p-text(A new version is ready.)");
  assert.equal(await page.page.evaluate("window.isOld"), true);
  await page.press("Reload");
  await page.page.waitForFunction("window.isOld === undefined");
  await page.see("h1 ::-p-text(Profile)");
  await page.miss("::-p-text(A new version is ready.)");
  assert.deepEqual(page.complaints, []);
});

async function begin(t: TestContext, start: (test: TestContext) => Promise<PushBrowsers>) {
  const browsers = await start(t);
  const stage = await startStage(t, browsers);
  return { browsers, stage, ann: await setUp(stage, browsers) };
}

async function turnOnHere(page: ConsolePage): Promise<void> {
  await page.go("Devices");
  await page.press("Turn on notifications on this device");
  await page.see('[data-capability="on"]');
}

/** Returns the code that the dialog shows. */
async function openDialog(page: ConsolePage): Promise<string> {
  await page.press("Add a phone");
  return page.see('[role="dialog"] output');
}

/** Makes a pairing as the page does, by its session. */
async function pairingOf({ page }: ConsolePage): Promise<{ readonly url: string }> {
  const made: unknown = await page.evaluate(MAKE_PAIRING);
  // The expression made it.
  return made as { readonly url: string };
}

const MAKE_PAIRING = `fetch("/api/app/v1/pairings", { method: "POST" }).then((made) => made.json())`;

const LISTED = "main ::-p-text(For both)";

const LOOK_FOR_UPDATE = `navigator.serviceWorker.ready.then((worker) => worker.update()).then(() => {})`;

const KEPT = `caches.has("tocsin-kept").then((has) =>
  has && caches.open("tocsin-kept").then((cache) => cache.keys()).then(({ length }) => length > 0))`;

async function send({ url }: ConsoleStage, { client }: Visitor): Promise<string> {
  const { key } = await client.keys.create({ kind: "account" });
  const sent = await createClient({ baseUrl: url, apiKey: key }).notify({
    title: "For both",
    body: "Hello",
  });
  assert.ok(sent.responses.every(({ success }) => success));
  return sent.notificationId ?? assert.fail();
}
