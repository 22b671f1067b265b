import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { inspectViews } from "../../support/console-inspection.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import {
  setUpServer,
  startConsoleFixture,
  type ConsoleUser,
} from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("adding a phone meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const onEmpty = { path: "/devices", waitFor: "main h2" };
  await inspectViews(ann.page, { views: [{ name: "devices-empty", ...onEmpty }] });
  await addDevice({ push: fixture.push }, ann, "Ann's phone");
  const dialog = { button: "Add a phone", waitFor: '[role="dialog"] output' };
  const onDevices = { path: "/devices", waitFor: "main li" };
  await inspectViews(ann.page, {
    views: [
      { name: "add-phone-local", ...onDevices, thenPress: dialog },
      { name: "came-in", path: "/add", waitFor: "[data-notification-state]" },
      { name: "welcome-again", path: "/welcome", waitFor: "[data-notification-state]" },
    ],
  });
  await ann.page.tab.evaluateOnNewDocument(REMOTE_PAIRING);
  await inspectViews(ann.page, { views: [{ name: "add-phone", ...onDevices, thenPress: dialog }] });
  await ann.client.groups.create({ name: "On call", deviceIds: await listDeviceIds(ann) });
  await ann.page.tab.evaluateOnNewDocument(IN_ALL_STATES);
  await inspectViews(ann.page, {
    views: [
      { name: "devices-states", path: "/devices", waitFor: "main li:nth-child(5)" },
      {
        name: "device-tested",
        path: "/devices",
        waitFor: "main li",
        prepare: sendTestToPhone,
      },
    ],
  });
  await ann.page.tab.evaluateOnNewDocument(BLOCKED);
  await inspectViews(ann.page, {
    views: [
      { name: "devices-blocked", path: "/devices", waitFor: '[data-notification-state="denied"]' },
      { name: "add-blocked", path: "/add", waitFor: '[data-notification-state="denied"]' },
    ],
  });
  await ann.page.tab.evaluateOnNewDocument(ON_IPHONE);
  const homeScreen = '[data-notification-state="needs-home-screen"]';
  await inspectViews(ann.page, {
    views: [
      { name: "home-screen", path: "/add", waitFor: homeScreen },
      { name: "devices-iphone", path: "/devices", waitFor: homeScreen },
    ],
  });
});

test("the first pages on a phone meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const page = await browsers.open(`${fixture.url}/add`);
  await inspectViews(page, {
    views: [
      { name: "add-by-code", path: "/add", waitFor: "form" },
      { name: "add-by-link", path: "/add#token=x", waitFor: "main button" },
      {
        name: "add-by-link-over",
        path: "/add#token=x",
        waitFor: "main button",
        thenPress: { button: "Add this device", waitFor: 'main [role="alert"]' },
      },
      { name: "welcome", path: "/welcome", waitFor: "form" },
    ],
    expectedErrors: /400|429/,
  });
});

/** Clicks by script: in German, another element has this button's English name. */
async function sendTestToPhone(page: ConsolePage): Promise<void> {
  await page.tab.evaluate(
    `document.querySelector('main li button[aria-label$=": Ann\\'s phone"]').click()`,
  );
  await page.waitFor('main li [role="status"] p');
}

async function listDeviceIds({ client }: ConsoleUser): Promise<readonly string[]> {
  return (await client.devices.list()).items.map(({ id }) => id);
}

/** Adds a device in each other state to the real one. */
const IN_ALL_STATES = `{
  const originalFetch = fetch;
  const at = new Date().toISOString();
  const addedDevices = [
    { name: "Safari on iPhone", endpointHost: "web.push.apple.com", lastDelivery: { state: "failed", at } },
    { name: "The old laptop of the workshop, which nobody dares to switch off", endpointHost: "updates.push.services.mozilla.com", lastDelivery: { state: "held", at } },
    { name: "Chrome on Android", endpointHost: "fcm.googleapis.com", paused: true },
    { name: "Firefox on Linux", endpointHost: "updates.push.services.mozilla.com", lastDelivery: { state: "accepted", at } },
  ];
  fetch = async (...request) => {
    const response = await originalFetch(...request);
    if (!/\\/v1\\/devices(?:\\?|$)/.test(String(request[0]?.url ?? request[0]))) return response;
    const { items, ...rest } = await response.json();
    const added = addedDevices.map((device, index) => ({ ...items[0], paused: false, lastDelivery: null, ...device, id: "0190-" + index }));
    return Response.json({ ...rest, items: [...items, ...added] });
  };
}`;

const BLOCKED = `Object.defineProperty(Notification, "permission", { get: () => "denied" })`;

/** Replaces the pairing by a link that phones can reach and a code that is the same in every screenshot. */
const REMOTE_PAIRING = `{
  const originalFetch = fetch;
  fetch = async (...request) => {
    const response = await originalFetch(...request);
    if (!String(request[0]?.url ?? request[0]).endsWith("/pairings")) return response;
    const url = "https://push.example.org/add#token=abcdefghijklmnopqrstuvwxy-_";
    return Response.json({ ...(await response.json()), url, code: "K7RWQ3XMPT" }, { status: 201 });
  };
}`;

/** Imitates Safari on an iPhone, which has no push outside the Home Screen. */
const ON_IPHONE = `{
  const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15";
  Object.defineProperty(navigator, "userAgent", { get: () => userAgent });
  delete window.PushManager;
}`;
