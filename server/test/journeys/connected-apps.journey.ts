import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { GotifyPhone } from "../doubles/gotify-phone.ts";
import { NtfyPhone } from "../doubles/ntfy-phone.ts";
import { inspectPage, JOURNEY_SIZES, resizePage } from "../support/console-inspection.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const DIALOG = '[role="dialog"]';
const CONNECTED = `${DIALOG} [data-connected="true"]`;
const TEST_RESULT = `${DIALOG} [data-connected="true"] ~ [role="status"] p`;
/** A person with the values in front of them needs no longer than this from Add a phone to the first notification. */
const JOURNEY_MAX_MS = 120_000;
const [, PHONE_SIZE] = JOURNEY_SIZES;

test("from Add a phone to the first notification in the ntfy app", async (t) => {
  const { page, client, inspect } = await openDevices(t);
  const startedAt = performance.now();
  await chooseApp(page, "ntfy");
  await page.fillIn({ name: "Pixel 8" });
  await inspect("journey-ntfy-1-name");
  await page.press("Create an app password");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
  await inspect("journey-ntfy-2-values");
  const [topic = "", url = "", userName = "", password = ""] = await readValues(page);
  const phone = new NtfyPhone(t, { topic, url, userName, password });
  assert.equal(await phone.askWithoutCredential(), 403);
  await phone.subscribe();
  const endJson = await phone.connectByJson();
  await page.waitFor(CONNECTED);
  await inspect("journey-ntfy-3-connected");
  const [device] = (await client.devices.list()).items;
  assert.deepEqual([device?.app?.client, device?.app?.connected], ["ntfy", true]);

  await page.press("Send a test notification");
  assert.equal(await phone.waitForNext(), "It works");
  assert.match(await page.waitFor(TEST_RESULT), /^Written to the ntfy app's open connection/);
  await phone.connectByWebSocket();
  endJson();
  await page.press("Send a test notification");
  assert.equal(await phone.waitForNext(), "It works");
  await page.waitFor(`${TEST_RESULT}::-p-text(Received by the ntfy app, which answered)`);
  await inspect("journey-ntfy-4-received");
  assert.ok(performance.now() - startedAt < JOURNEY_MAX_MS);
  await page.press("Done");
  await page.waitFor(`main li[data-id="${device?.id ?? ""}"] ::-p-text(Connected)`);
  assert.deepEqual(page.consoleErrors, []);
});

test("from Add a phone to the first notification in the Gotify app", async (t) => {
  const { page, client, inspect } = await openDevices(t);
  const startedAt = performance.now();
  await chooseApp(page, "gotify");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
  await inspect("journey-gotify-1-values");
  const [url = "", userName = "", password = ""] = await readValues(page);
  const phone = new GotifyPhone(t, { url, userName, password });
  assert.match(await phone.checkUrl(), /^\d+\.\d+\.\d+$/);
  await phone.signIn("Fairphone 5");
  await phone.connect();
  await page.waitFor(CONNECTED);
  await inspect("journey-gotify-2-connected");
  await page.press("Send a test notification");
  assert.equal(await phone.waitForNext(), "It works");
  assert.match(await page.waitFor(TEST_RESULT), /^Received by the Gotify app, which answered at /);
  await inspect("journey-gotify-3-received");
  assert.ok(performance.now() - startedAt < JOURNEY_MAX_MS);
  const [device] = (await client.devices.list()).items;
  assert.deepEqual([device?.name, device?.app?.client], ["Fairphone 5", "gotify"]);
  assert.deepEqual(page.consoleErrors, []);
});

test("Add a phone offers only the APIs that the server speaks", async (t) => {
  for (const [TOCSIN_DIALECTS, apps] of [
    ["gotify", ["tocsin", "gotify"]],
    ["none", []],
  ] as const) {
    const { page } = await openDevices(t, { TOCSIN_DIALECTS });
    await page.press("Add a phone");
    await page.waitFor(`${DIALOG} output`);
    // The dialog also lets a person choose the system of the phone.
    const offered: unknown = await page.tab.evaluate(
      `[...document.querySelectorAll('${DIALOG} input[type="radio"]')].map(({ value }) => value)
        .filter((value) => ["tocsin", "ntfy", "gotify"].includes(value))`,
    );
    assert.deepEqual(offered, apps);
    assert.deepEqual(page.consoleErrors, []);
  }
});

/** Opens the page of the devices at the width of a phone. */
async function openDevices(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers, environment);
  const { page, client } = await setUpServer(fixture, browsers);
  await resizePage(page, PHONE_SIZE);
  await page.tab.goto(`${fixture.url}/devices`);
  await page.waitFor("main h2");
  const inspect = async (name: string) =>
    assert.deepEqual(await inspectPage(page, { name, size: PHONE_SIZE }), []);
  return { page, client, inspect };
}

async function chooseApp(page: ConsolePage, app: "ntfy" | "gotify"): Promise<void> {
  await page.press("Add a phone");
  await page.waitFor(`${DIALOG} output`);
  await page.waitFor(`${DIALOG} input[value="${app}"]`);
  await page.tab.evaluate(`document.querySelector('${DIALOG} input[value="${app}"]').click()`);
  await page.waitFor(app === "ntfy" ? `${DIALOG} form` : `${DIALOG} ol [role="group"]`);
}

/** Returns the values that the dialog shows, in their order. */
async function readValues({ tab }: ConsolePage): Promise<readonly string[]> {
  const values: unknown = await tab.evaluate(
    `[...document.querySelectorAll('${DIALOG} ol [role="group"]')].map(({ textContent }) => textContent)`,
  );
  // The expression returns this list.
  return values as readonly string[];
}
