import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { inspectPage, JOURNEY_SIZES, type Size } from "../support/console-inspection.ts";
import { ANN, startConsoleFixture, type ConsoleFixture } from "../support/console-fixture.ts";
import { Newcomer } from "../support/newcomer.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

/** Maximum time from the opening of the set-up link to the first notification. */
const FIRST_RUN_MAX_MS = 120_000;
const ACTIONS_MAX = 8;
/** A newly started Chromium may take long to register with its push service. */
const SUBSCRIBE_MAX_MS = 180_000;

/**
 * Replaces the settings of tests by the defaults of `npm start`. Browsers reach the test double by their vendor's host
 * name.
 */
const DEFAULTS = {
  TOCSIN_BASE_URL: "",
  TOCSIN_SIGN_UP: "",
  TOCSIN_VAPID_SUBJECT: "",
  TOCSIN_WEBPUSH_ALLOW_ORIGINS: "",
};

const KEY = '[role="group"][aria-label="API key"]';
const COMMAND = '[role="group"][aria-label="command"]';
const ARRIVED_SELECTOR = "[data-arrived]";

/** Ways to send the first notification, each in one action. */
const SEND_ACTIONS = {
  desktop: async (ann: Newcomer) => {
    const command = await ann.page.waitFor(COMMAND);
    await ann.press("Copy command");
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    assert.match(stdout, /"success":true/);
  },
  phone: (ann: Newcomer) => ann.press("Send it from here"),
} as const satisfies Record<Size["name"], (ann: Newcomer) => Promise<void>>;

for (const [name, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  for (const size of JOURNEY_SIZES) {
    test(`in ${name} on a ${size.name}, the first notification takes at most ${ACTIONS_MAX} actions`, async (t) => {
      const browsers = await startBrowsers(t);
      const fixture = await startConsoleFixture(t, browsers, DEFAULTS);
      const readElapsedMs = startStealFreeTimer();
      const ann = await openSetUpLink(fixture, { browsers, size });
      const key = await completeSteps(ann, size, name === "Chromium");
      assert.ok(ann.actionCount <= ACTIONS_MAX, `${ann.actionCount} actions`);
      t.diagnostic(`${ann.actionCount} actions`);
      await assertArrived(ann, { browsers, key });
      assert.ok(readElapsedMs() < FIRST_RUN_MAX_MS);
      await dismissSteps(ann);
      assert.deepEqual(ann.page.consoleErrors, []);
    });
  }
}

/** Opens the printed set-up link on a screen of the given size. */
async function openSetUpLink(
  { app }: ConsoleFixture,
  { browsers, size }: { readonly browsers: PushBrowsers; readonly size: Size },
): Promise<Newcomer> {
  const page = await browsers.open((await app.createSetUpLink()) ?? "");
  await page.tab.setViewport({ width: size.width, height: size.height });
  return new Newcomer(page);
}

/**
 * Goes through every onboarding step and returns the new key. Examines each step if the browser supports both colour
 * schemes.
 */
async function completeSteps(ann: Newcomer, size: Size, isExamined: boolean): Promise<string> {
  const examineStep = async (name: string) => {
    if (!isExamined) return;
    assert.deepEqual(await inspectPage(ann.page, { name: `first-run-${name}`, size }), []);
  };
  for (const field of ["name", "email", "password"] as const) await ann.fill(field, ANN[field]);
  await ann.press("Create the account");
  await ann.findInReach("main ::-p-text(steps to your first notification)");
  await examineStep("welcome");
  await ann.press("Turn on notifications on this device");
  const onSelector = "main ol ::-p-text(Notifications are on for this device)";
  await ann.page.tab.waitForSelector(onSelector, { timeout: SUBSCRIBE_MAX_MS });
  await ann.press("Create an API key");
  const key = await ann.page.waitFor(KEY);
  await examineStep("key");
  await SEND_ACTIONS[size.name](ann);
  await ann.findInReach(ARRIVED_SELECTOR);
  await examineStep("works");
  return key;
}

/** Asserts that the browser received a real push, and that the page still shows the key. */
async function assertArrived(
  { page }: Newcomer,
  { browsers, key }: { readonly browsers: PushBrowsers; readonly key: string },
): Promise<void> {
  assert.deepEqual(
    browsers.service.requests.map(({ verdict }) => verdict.kind),
    ["accepted"],
  );
  const id: unknown = await page.tab.evaluate(
    `document.querySelector("${ARRIVED_SELECTOR}").dataset.arrived`,
  );
  assert.equal((await page.waitForNotification(String(id))).length, 1);
  await page.waitFor(`article[data-notification="${String(id)}"]`);
  assert.match(key, /^[0-9a-f-]{36}$/);
  assert.equal(await page.waitFor(KEY), key);
  await page.waitFor("main ::-p-text(It works)");
}

/** Dismisses the onboarding steps. Until then, they survive a reload, but without the key. */
async function dismissSteps({ page }: Newcomer): Promise<void> {
  await page.tab.reload();
  await page.waitFor("main ::-p-text(It works)");
  await page.waitFor("main ::-p-text(A key is shown only once)");
  for (let remainingSteps = 3; remainingSteps > 0; remainingSteps -= 1)
    await page.press("Keep it as it is");
  await page.waitUntilGone("main ol ::-p-text(Keep it as it is)");
  await page.press("Close these steps");
  await page.waitUntilGone("main ol");
  await page.tab.reload();
  await page.waitFor("article[data-notification]");
  await page.waitUntilGone("main ol");
}
