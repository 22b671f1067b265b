import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { lookAt } from "../../support/console-look.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { setUp, startStage, type Visitor } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("adding a phone breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const onEmpty = { path: "/devices", shows: "main h2" };
  await lookAt(ann.page, { sights: [{ name: "devices-empty", ...onEmpty }] });
  await addDevice({ push: stage.push }, ann, "Ann's phone");
  const dialog = { button: "Add a phone", shows: '[role="dialog"] output' };
  const onDevices = { path: "/devices", shows: "main li" };
  await lookAt(ann.page, {
    sights: [
      { name: "add-phone-local", ...onDevices, opens: dialog },
      { name: "came-in", path: "/add", shows: "[data-capability]" },
      { name: "welcome-again", path: "/welcome", shows: "[data-capability]" },
    ],
  });
  await ann.page.page.evaluateOnNewDocument(REMOTE_PAIRING);
  await lookAt(ann.page, { sights: [{ name: "add-phone", ...onDevices, opens: dialog }] });
  await ann.client.groups.create({ name: "On call", deviceIds: await listDeviceIds(ann) });
  await ann.page.page.evaluateOnNewDocument(IN_ALL_STATES);
  await lookAt(ann.page, {
    sights: [
      { name: "devices-states", path: "/devices", shows: "main li:nth-child(5)" },
      {
        name: "device-tested",
        path: "/devices",
        shows: "main li",
        act: testPhone,
      },
    ],
  });
  await ann.page.page.evaluateOnNewDocument(BLOCKED);
  await lookAt(ann.page, {
    sights: [
      { name: "devices-blocked", path: "/devices", shows: '[data-capability="denied"]' },
      { name: "add-blocked", path: "/add", shows: '[data-capability="denied"]' },
    ],
  });
  await ann.page.page.evaluateOnNewDocument(ON_IPHONE);
  const homeScreen = '[data-capability="needs-home-screen"]';
  await lookAt(ann.page, {
    sights: [
      { name: "home-screen", path: "/add", shows: homeScreen },
      { name: "devices-iphone", path: "/devices", shows: homeScreen },
    ],
  });
});

test("the first pages on a phone break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const page = await browsers.open(`${stage.url}/add`);
  await lookAt(page, {
    sights: [
      { name: "add-by-code", path: "/add", shows: "form" },
      { name: "add-by-link", path: "/add#token=x", shows: "main button" },
      {
        name: "add-by-link-over",
        path: "/add#token=x",
        shows: "main button",
        opens: { button: "Add this device", shows: 'main [role="alert"]' },
      },
      { name: "welcome", path: "/welcome", shows: "form" },
    ],
    expected: /400|429/,
  });
});

/** Clicks by script: in German, another element has this button's English name. */
async function testPhone(tab: ConsolePage): Promise<void> {
  await tab.page.evaluate(
    `document.querySelector('main li button[aria-label$=": Ann\\'s phone"]').click()`,
  );
  await tab.see('main li [role="status"] p');
}

async function listDeviceIds({ client }: Visitor): Promise<readonly string[]> {
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
