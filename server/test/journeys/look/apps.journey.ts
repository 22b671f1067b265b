import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { inspectViews } from "../../support/console-inspection.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

const ON_DEVICES = { path: "/devices", waitFor: "main li" };
const DIALOG = '[role="dialog"]';

test("adding the apps of ntfy and Gotify meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await addDevice({ push: fixture.push }, { client }, "Ann's phone");
  await client.notifications.send({ title: "Done", body: "42 GB", channel: "backups" });
  await page.tab.evaluateOnNewDocument(ADDED_APP);
  await inspectViews(page, {
    views: [
      { name: "add-ntfy", ...ON_DEVICES, prepare: chooseNtfy },
      { name: "add-ntfy-iphone", ...ON_DEVICES, prepare: chooseNtfyOnIphone },
      { name: "add-ntfy-password", ...ON_DEVICES, prepare: createPassword },
      { name: "add-ntfy-iphone-password", ...ON_DEVICES, prepare: createPasswordOfIphone },
      { name: "add-ntfy-connected", ...ON_DEVICES, prepare: testConnectedApp },
      { name: "add-gotify", ...ON_DEVICES, prepare: chooseGotify },
    ],
  });
  await page.tab.evaluateOnNewDocument(IN_ALL_STATES);
  await inspectViews(page, {
    views: [{ name: "devices-apps", path: "/devices", waitFor: "main li:nth-child(6)" }],
  });
});

test("adding the app of ntfy on an iPhone that is woken meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers, {
    TOCSIN_NTFY_UPSTREAM: "https://ntfy.sh",
  });
  const { page, client } = await setUpServer(fixture, browsers);
  await addDevice({ push: fixture.push }, { client }, "Ann's phone");
  await page.tab.evaluateOnNewDocument(ADDED_APP);
  await inspectViews(page, {
    views: [
      { name: "add-ntfy-woken", ...ON_DEVICES, prepare: chooseNtfyOnIphone },
      { name: "add-ntfy-woken-password", ...ON_DEVICES, prepare: showLastStepOfIphone },
    ],
  });
});

/** Opens the dialog and chooses an app. The names of the apps are the same in every language. */
async function chooseApp(page: ConsolePage, app: "ntfy" | "gotify"): Promise<void> {
  await page.press("Add a phone");
  await page.waitFor(`${DIALOG} output`);
  await page.waitFor(`${DIALOG} input[value="${app}"]`);
  await page.tab.evaluate(`document.querySelector('${DIALOG} input[value="${app}"]').click()`);
}

async function chooseNtfy(page: ConsolePage): Promise<void> {
  await chooseApp(page, "ntfy");
  await page.waitFor(`${DIALOG} form`);
}

async function chooseNtfyOnIphone(page: ConsolePage): Promise<void> {
  await chooseNtfy(page);
  await page.tab.evaluate(`document.querySelector('${DIALOG} input[value="ios"]').click()`);
}

async function createPassword(page: ConsolePage): Promise<void> {
  await chooseNtfy(page);
  await submitName(page);
}

async function createPasswordOfIphone(page: ConsolePage): Promise<void> {
  await chooseNtfyOnIphone(page);
  await submitName(page);
}

async function showLastStepOfIphone(page: ConsolePage): Promise<void> {
  await createPasswordOfIphone(page);
  await page.tab.evaluate(
    `document.querySelector('${DIALOG} [data-connected]').scrollIntoView({ block: "end" })`,
  );
}

async function submitName(page: ConsolePage): Promise<void> {
  await page.fillIn({ name: "Pixel 8" });
  await page.press("Create an app password");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
}

async function testConnectedApp(page: ConsolePage): Promise<void> {
  await createPassword(page);
  await page.tab.evaluate("window.isAppConnected = true");
  await page.waitFor(`${DIALOG} [data-connected="true"]`);
  await page.press("Send a test notification");
  await page.waitFor(`${DIALOG} [data-connected="true"] ~ [role="status"] p`);
  await page.tab.evaluate(
    `document.querySelector('${DIALOG} [data-connected]').scrollIntoView({ block: "center" })`,
  );
}

async function chooseGotify(page: ConsolePage): Promise<void> {
  await chooseApp(page, "gotify");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
}

/** Gives every screenshot the same credentials, and lets the app connect when the test says so. */
const ADDED_APP = `{
  const originalFetch = fetch;
  const device = { id: "0190-app", name: "Pixel 8", platform: "android", provider: "stream", paused: false,
    createdAt: new Date().toISOString(), registeredAt: new Date().toISOString(), lastDelivery: null, endpointHost: null };
  const toDevice = () => ({ ...device, app: { client: "ntfy", connected: window.isAppConnected === true,
    lastConnectedAt: window.isAppConnected === true ? new Date().toISOString() : null, topic: "all-7k2m9x4q1z" } });
  let isAdded = false;
  fetch = async (...request) => {
    const url = String(request[0]?.url ?? request[0]);
    if (url.endsWith("/v1/apps")) {
      isAdded = true;
      device.platform = JSON.parse(request[1].body).platform;
      return Response.json({ device: toDevice(), url: "https://push.example.org", topic: "all-7k2m9x4q1z",
        userName: "ann@example.org", password: "k7rw-q3xm-pt4n-92bd" }, { status: 201 });
    }
    if (url.endsWith("/0190-app/test"))
      return Response.json({ success: true, message: "Received by the ntfy app, which answered at 2026-11-28T14:02:03Z." });
    const response = await originalFetch(...request);
    if (url.endsWith("/pairings"))
      return Response.json({ ...(await response.json()), url: "https://push.example.org/add#token=x", code: "K7RWQ3XMPT" }, { status: 201 });
    if (!isAdded || !/\\/v1\\/devices(?:\\?|$)/.test(url)) return response;
    const { items, ...rest } = await response.json();
    return Response.json({ ...rest, items: [...items, toDevice()] });
  };
}`;

/** Adds an app in each state to the real device. */
const IN_ALL_STATES = `{
  const originalFetch = fetch;
  const at = new Date().toISOString();
  const app = { client: "ntfy", connected: false, lastConnectedAt: at, topic: "all-7k2m9x4q1z" };
  const addedDevices = [
    { name: "Pixel 8", app: { ...app, connected: true }, lastDelivery: { state: "accepted", at } },
    { name: "Tablet in the kitchen", app: { ...app, client: "gotify" }, lastDelivery: { state: "held", at } },
    { name: "Ben's iPhone", platform: "ios", app, lastDelivery: { state: "accepted", at } },
    { name: "Old phone", app: { ...app, lastConnectedAt: null }, lastDelivery: null },
    { name: "Home Assistant", platform: "web", app: { ...app, client: "other" }, lastDelivery: { state: "expired", at } },
  ];
  fetch = async (...request) => {
    const response = await originalFetch(...request);
    if (!/\\/v1\\/devices(?:\\?|$)/.test(String(request[0]?.url ?? request[0]))) return response;
    const { items, ...rest } = await response.json();
    const added = addedDevices.map((device, index) => ({ ...items[0], platform: "android", provider: "stream", endpointHost: null, ...device, id: "0190-" + index }));
    return Response.json({ ...rest, items: [...items, ...added] });
  };
}`;
