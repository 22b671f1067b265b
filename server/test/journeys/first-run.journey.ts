import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { examine, SIZES, type Size } from "../support/console-look.ts";
import { ANN, startStage, type ConsoleStage } from "../support/console-stage.ts";
import { Newcomer } from "../support/newcomer.ts";
import { startOwnTime } from "../support/own-time.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

/** The time to the first notification that the documentation promises. */
const FIRST_RUN_MAX_MS = 120_000;
const ACTIONS_MAX = 8;
/** A newly started Chromium may take long to register with its push service. */
const SUBSCRIBE_MAX_MS = 180_000;

/** Resets what tests set to the defaults of `npm start`. Browsers reach the test double by their vendor's host name. */
const DEFAULTS = {
  TOCSIN_BASE_URL: "",
  TOCSIN_SIGN_UP: "",
  TOCSIN_VAPID_SUBJECT: "",
  TOCSIN_WEBPUSH_ALLOW_ORIGINS: "",
};

const KEY = '[role="group"][aria-label="API key"]';
const COMMAND = '[role="group"][aria-label="command"]';
const ARRIVED = "[data-arrived]";

/** Ways to send the first notification, each in one action. */
const SEND_WAYS = {
  desktop: async (ann: Newcomer) => {
    const command = await ann.page.see(COMMAND);
    await ann.press("Copy command");
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    assert.match(stdout, /"success":true/);
  },
  phone: (ann: Newcomer) => ann.press("Send it from here"),
} as const satisfies Record<Size["name"], (ann: Newcomer) => Promise<void>>;

for (const [name, open] of Object.entries(PUSH_BROWSERS)) {
  for (const size of SIZES) {
    test(`in ${name} on a ${size.name}, the first notification takes at most ${ACTIONS_MAX} actions`, async (t) => {
      const browsers = await open(t);
      const stage = await startStage(t, browsers, DEFAULTS);
      const ownMs = startOwnTime();
      const ann = await openSetUpLink(stage, { browsers, size });
      const key = await completeSteps(ann, size, name === "Chromium");
      assert.ok(ann.actions <= ACTIONS_MAX, `${ann.actions} actions`);
      t.diagnostic(`${ann.actions} actions`);
      await assertArrived(ann, { browsers, key });
      assert.ok(ownMs() < FIRST_RUN_MAX_MS);
      await dismiss(ann);
      assert.deepEqual(ann.page.complaints, []);
    });
  }
}

/** Opens the printed set-up link on a screen of the given size. */
async function openSetUpLink(
  { app }: ConsoleStage,
  { browsers, size }: { readonly browsers: PushBrowsers; readonly size: Size },
): Promise<Newcomer> {
  const page = await browsers.open((await app.createSetUpLink()) ?? "");
  await page.page.setViewport({ width: size.width, height: size.height });
  return new Newcomer(page);
}

/** Goes through every onboarding step and returns the new key. Examines each step if the browser supports both colour schemes. */
async function completeSteps(ann: Newcomer, size: Size, isExamined: boolean): Promise<string> {
  const examineStep = async (name: string) => {
    if (!isExamined) return;
    assert.deepEqual(await examine(ann.page, { name: `first-run-${name}`, size }), []);
  };
  for (const field of ["name", "email", "password"] as const) await ann.fill(field, ANN[field]);
  await ann.press("Create the account");
  await ann.findInReach("main ::-p-text(steps to your first notification)");
  await examineStep("welcome");
  await ann.press("Turn on notifications on this device");
  const isOn = "main ol ::-p-text(Notifications are on for this device)";
  await ann.page.page.waitForSelector(isOn, { timeout: SUBSCRIBE_MAX_MS });
  await ann.press("Create an API key");
  const key = await ann.page.see(KEY);
  await examineStep("key");
  await SEND_WAYS[size.name](ann);
  await ann.findInReach(ARRIVED);
  await examineStep("works");
  return key;
}

/** Asserts that the browser received a real push, and that the page still shows the key. */
async function assertArrived(
  { page }: Newcomer,
  { browsers, key }: { readonly browsers: PushBrowsers; readonly key: string },
): Promise<void> {
  assert.deepEqual(
    browsers.service.judged.map(({ verdict }) => verdict.kind),
    ["accepted"],
  );
  const id: unknown = await page.page.evaluate(
    `document.querySelector("${ARRIVED}").dataset.arrived`,
  );
  assert.equal((await page.shown(String(id))).length, 1);
  await page.see(`article[data-notification="${String(id)}"]`);
  assert.match(key, /^[0-9a-f-]{36}$/);
  assert.equal(await page.see(KEY), key);
  await page.see("main ::-p-text(It works)");
}

/** Dismisses the onboarding steps, which survive a reload until then; only the key does not. */
async function dismiss({ page }: Newcomer): Promise<void> {
  await page.page.reload();
  await page.see("main ::-p-text(It works)");
  await page.see("main ::-p-text(A key is shown only once)");
  for (let remaining = 3; remaining > 0; remaining -= 1) await page.press("Keep it as it is");
  await page.miss("main ol ::-p-text(Keep it as it is)");
  await page.press("Close these steps");
  await page.miss("main ol");
  await page.page.reload();
  await page.see("article[data-notification]");
  await page.miss("main ol");
}
