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
  const person = new Person(page);
  await person.press("Add a phone");
  await person.choose("ntfy");
  await person.nameThePhone("Pixel 8");
  await inspect("journey-ntfy-1-name");
  await person.press("Create an app password");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
  await inspect("journey-ntfy-2-values");
  const phone = new NtfyPhone(t, {
    topic: await person.typeIntoApp("Topic"),
    url: await person.typeIntoApp("Address"),
    userName: await person.typeIntoApp("User name"),
    password: await person.typeIntoApp("App password"),
  });
  assert.equal(await phone.askWithoutCredential(), 403);
  await phone.subscribe();
  const endJson = await phone.connectByJson();
  await page.waitFor(CONNECTED);
  await inspect("journey-ntfy-3-connected");
  const [device] = (await client.devices.list()).items;
  assert.deepEqual([device?.app?.client, device?.app?.connected], ["ntfy", true]);

  await person.press("Send a test notification");
  assert.equal(await phone.waitForNext(), "It works");
  assert.match(await page.waitFor(TEST_RESULT), /^Written to the ntfy app's open connection/);
  person.assertEffortAtMost({ presses: 4, typedValues: 5 });
  await phone.connectByWebSocket();
  endJson();
  await page.press("Send a test notification");
  assert.equal(await phone.waitForNext(), "It works");
  await page.waitFor(`${TEST_RESULT}::-p-text(Received by the ntfy app, which answered)`);
  assert.match(await page.waitFor(TEST_RESULT), / at \d{1,2}:\d\d\s[AP]M\.$/);
  await inspect("journey-ntfy-4-received");
  await page.press("Done");
  await page.waitFor(`main li[data-id="${device?.id ?? ""}"] ::-p-text(Connected)`);
  assert.deepEqual(page.consoleErrors, []);
});

test("from Add a phone to the first notification in the Gotify app", async (t) => {
  const { page, client, inspect } = await openDevices(t);
  const person = new Person(page);
  await person.press("Add a phone");
  await person.choose("gotify");
  await page.waitFor(`${DIALOG} [data-connected="false"]`);
  await inspect("journey-gotify-1-values");
  const phone = new GotifyPhone(t, {
    url: await person.typeIntoApp("Address"),
    userName: await person.typeIntoApp("User name"),
    password: await person.typeIntoApp("Code, as the password"),
  });
  assert.match(await phone.checkUrl(), /^\d+\.\d+\.\d+$/);
  await phone.signIn("Fairphone 5");
  await phone.connect();
  await page.waitFor(CONNECTED);
  await inspect("journey-gotify-2-connected");
  await person.press("Send a test notification");
  assert.equal(await phone.waitForNext(), "It works");
  assert.match(
    await page.waitFor(TEST_RESULT),
    /^Received by the Gotify app, which answered at \d{1,2}:\d\d\s[AP]M\.$/,
  );
  person.assertEffortAtMost({ presses: 3, typedValues: 3 });
  await inspect("journey-gotify-3-received");
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

/** The work of a person until the first notification, apart from the taps in the app itself. */
interface Effort {
  readonly presses: number;
  readonly typedValues: number;
}

/** A person who adds a phone. Their work is counted, and the time that passes. */
class Person {
  readonly #page: ConsolePage;
  readonly #startedAt = performance.now();
  #presses = 0;
  #typedValues = 0;

  constructor(page: ConsolePage) {
    this.#page = page;
  }

  async press(name: string): Promise<void> {
    this.#presses += 1;
    await this.#page.press(name);
  }

  async choose(app: "ntfy" | "gotify"): Promise<void> {
    this.#presses += 1;
    await this.#page.waitFor(`${DIALOG} output`);
    await this.#page.find(`${DIALOG} input[value="${app}"] + label`).click();
  }

  async nameThePhone(name: string): Promise<void> {
    this.#typedValues += 1;
    await this.#page.fillIn({ name });
  }

  /** Types a value into the app, and returns it as the dialog shows it. */
  async typeIntoApp(name: string): Promise<string> {
    this.#typedValues += 1;
    return this.#page.waitFor(`${DIALOG} ol [role="group"][aria-label="${name}"]`);
  }

  assertEffortAtMost({ presses, typedValues }: Effort): void {
    assert.ok(this.#presses <= presses, `${this.#presses} presses`);
    assert.ok(this.#typedValues <= typedValues, `${this.#typedValues} typed values`);
    const passedMs = performance.now() - this.#startedAt;
    assert.ok(passedMs < JOURNEY_MAX_MS, `${passedMs} ms`);
  }
}
