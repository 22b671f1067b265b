import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { DeviceCredential } from "@tocsin/sdk";
import type { ConsolePage } from "../support/console-page.ts";
import {
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import { eventually } from "../support/eventually.ts";
import {
  BROWSERS_ON_DESKTOPS,
  PUSH_BROWSERS,
  type PushBrowsers,
} from "../support/push-browsers.ts";

/** Firefox closes a notification by itself after 20 seconds unless it is time-sensitive. */
const REPLACED = { title: "Replaced", body: "db-1", timeSensitive: true };
const DISMISSED = { title: "Dismissed", body: "db-2", timeSensitive: true };
const ACKNOWLEDGE = { title: "Disk full", button: "Acknowledge" } as const;
/** Evaluates to the switch for dismissed notifications, which is the second one on its page. */
const DISMISSAL_SWITCH = `document.querySelectorAll('main input[role="switch"]')[1]`;

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName} marks a dismissed notification as read after the session ended, but not a replaced one`, async (t) => {
    const { fixture, browsers, ann } = await setUpAnn(t, startBrowsers);
    await turnOnReadByDismissal(ann.page, { isOnByDefault: browserName === "Chromium" });
    const replacedId = await sendNotifications(fixture, ann, [REPLACED]);
    await ann.page.waitForNotification(replacedId);
    await replaceNotification(ann.page, replacedId);

    await ann.page.leave();
    await ann.client.sessions.endOthers();
    const dismissedId = await sendNotifications(fixture, ann, [DISMISSED]);
    await browsers.waitForHandled(2);
    await browsers.dismissNotification(ann.page, DISMISSED.title);
    const unreadIds = await eventually(
      () => listUnreadIds(ann),
      (ids) => !ids.includes(dismissedId),
    );
    assert.deepEqual(unreadIds, [replacedId]);
    assert.deepEqual(ann.page.consoleErrors, []);
  });

  test(`${browserName} keeps its device key across visits, replaces a lost one, and deletes it with the device`, async (t) => {
    const { fixture, ann } = await setUpAnn(t, startBrowsers);
    const { page } = ann;
    const firstKey = await readDeviceKey(page);
    await revisit(page);
    assert.deepEqual(await readDeviceKey(page), firstKey);
    await page.tab.evaluate(createStoreExpression("delete"));
    await revisit(page);
    const secondKey = await readDeviceKey(page);
    assert.equal(secondKey?.deviceId, firstKey?.deviceId);
    assert.notEqual(secondKey?.actionKey, firstKey?.actionKey);
    const id = await sendNotifications(fixture, ann, [REPLACED]);
    const act = { act: "read", notificationIds: [id] } as const;
    await assert.rejects(fixture.anonymous.act(firstKey ?? assert.fail(), act), { status: 401 });
    await fixture.anonymous.act(secondKey ?? assert.fail(), act);

    await page.navigate("Devices");
    await page.press("Turn off");
    await page.waitFor('[data-notification-state="off"]');
    assert.equal(await readDeviceKey(page), null);
    assert.deepEqual(page.consoleErrors, []);
  });
}

test("Chromium shows that a button's act failed, and why", async (t) => {
  const { fixture, browsers, ann } = await setUpAnn(t, BROWSERS_ON_DESKTOPS.Chromium);
  const { page } = ann;
  const { title } = ACKNOWLEDGE;
  await showIncident(page);
  await browsers.pressButton(page, ACKNOWLEDGE);
  const refusedNotification = { title, body: "Not acknowledged. Tap to open it in Tocsin." };
  await browsers.waitForShown(page, refusedNotification, 1);
  await page.setLanguage("de");
  await revisit(page);
  await showIncident(page);
  await fixture.app.stop();
  await browsers.pressButton(page, ACKNOWLEDGE);
  const unanswered = { title, body: "Nicht bestätigt: keine Verbindung" };
  await browsers.waitForShown(page, unanswered, 1);
  await browsers.pressButton(page, { ...unanswered, button: null });
  await browsers.waitForShown(page, unanswered, 2);
});

async function setUpAnn(
  t: TestContext,
  startBrowsers: (test: TestContext) => Promise<PushBrowsers>,
) {
  const browsers = await startBrowsers(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  return { fixture, browsers, ann };
}

async function turnOnReadByDismissal(
  page: ConsolePage,
  { isOnByDefault }: { readonly isOnByDefault: boolean },
): Promise<void> {
  await page.navigate("Profile & security");
  await page.waitFor("main ::-p-text(Dismissed notifications count as read)");
  await page.tab.waitForFunction(`${DISMISSAL_SWITCH}?.disabled === false`);
  const isOn = `${DISMISSAL_SWITCH}.checked`;
  assert.equal(await page.tab.evaluate(isOn), isOnByDefault);
  if (isOnByDefault) return;
  await page.tab.locator("main ::-p-text(Dismissed notifications count as read)").click();
  await page.tab.waitForFunction(isOn);
}

/** Shows another notification under the tag of the given one. */
async function replaceNotification({ tab }: ConsolePage, id: string): Promise<void> {
  const data = JSON.stringify({ id: `${id}-next`, navigate: "", link: null });
  await tab.evaluate(`navigator.serviceWorker.ready.then((registration) =>
    registration.showNotification("Replacing", { tag: "${id}", requireInteraction: true, data: ${data} }))`);
}

async function listUnreadIds({ client }: ConsoleUser): Promise<readonly string[]> {
  return (await client.feed.list({ unread: true })).items.map(({ id }) => id);
}

async function revisit(page: ConsolePage): Promise<void> {
  await page.tab.reload();
  await page.navigate("Devices");
  await page.waitFor('[data-notification-state="on"]');
}

async function readDeviceKey({ tab }: ConsolePage): Promise<DeviceCredential | null> {
  const key: unknown = await tab.evaluate(createStoreExpression("get"));
  // The console stores nothing else under this name.
  return (key as DeviceCredential | undefined) ?? null;
}

/** Returns an expression that gets or deletes the device key, which the page stores for its worker. */
function createStoreExpression(method: "get" | "delete"): string {
  return `new Promise((resolve, reject) => {
    const opening = indexedDB.open("tocsin");
    opening.onerror = reject;
    opening.onsuccess = () => {
      const store = opening.result.transaction("worker", "readwrite").objectStore("worker");
      store.${method}("deviceKey").onsuccess = ({ target }) => {
        opening.result.close();
        resolve(target.result);
      };
    };
  })`;
}

const ACTIONS = JSON.stringify([{ action: "ack", title: ACKNOWLEDGE.button }]);

/** Shows the notification of an incident that the server does not know. */
async function showIncident({ tab }: ConsolePage): Promise<void> {
  const data = JSON.stringify({ id: "0190", navigate: "", link: null, incident: "0191" });
  await tab.evaluate(`navigator.serviceWorker.ready.then((registration) =>
    registration.showNotification("Disk full", { tag: "incident", data: ${data}, actions: ${ACTIONS} }))`);
}
