import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { examine, SIZES, type Size } from "../support/console-look.ts";
import { ANN, startStage, type ConsoleStage } from "../support/console-stage.ts";
import { Newcomer } from "../support/newcomer.ts";
import { startOwnTime } from "../support/own-time.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

/** The promise to a person. */
const TWO_MINUTES_MS = 120_000;
const ACTIONS_MAX = 8;
/** A Chromium that was just started may sign in to its push service late. */
const SUBSCRIBED_WITHIN_MS = 180_000;

/** All that tests set otherwise is as `npm start` finds it. Browsers reach the double by their vendor's name. */
const DEFAULTS = {
  TOCSIN_BASE_URL: "",
  TOCSIN_SIGN_UP: "",
  TOCSIN_VAPID_SUBJECT: "",
  TOCSIN_WEBPUSH_ALLOW_ORIGINS: "",
};

const KEY = '[role="group"][aria-label="API key"]';
const COMMAND = '[role="group"][aria-label="command"]';
const ARRIVED = "[data-arrived]";

/** Ways to send the first notification, each one action. */
const WAYS = {
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
    test(`in ${name} on a ${size.name}, a server of nothing but defaults shows its first notification after ${ACTIONS_MAX} actions at most`, async (t) => {
      const browsers = await open(t);
      const stage = await startStage(t, browsers, DEFAULTS);
      const ownMs = startOwnTime();
      const ann = await arrive(stage, { browsers, size });
      const key = await take(ann, size, name === "Chromium");
      assert.ok(ann.actions <= ACTIONS_MAX, `${ann.actions} actions`);
      t.diagnostic(`${ann.actions} actions`);
      await isWhole(ann, { browsers, key });
      assert.ok(ownMs() < TWO_MINUTES_MS);
      await dismiss(ann);
      assert.deepEqual(ann.page.complaints, []);
    });
  }
}

/** Opens the printed link on a screen of that size. */
async function arrive(
  { app }: ConsoleStage,
  { browsers, size }: { readonly browsers: PushBrowsers; readonly size: Size },
): Promise<Newcomer> {
  const page = await browsers.open((await app.createSetUpLink()) ?? "");
  await page.page.setViewport({ width: size.width, height: size.height });
  return new Newcomer(page);
}

/** Takes every step on the way, looks at each where the browser can show both schemes, and returns the key that was shown. */
async function take(ann: Newcomer, size: Size, hasSchemes: boolean): Promise<string> {
  const picture = async (name: string) => {
    if (!hasSchemes) return;
    assert.deepEqual(await examine(ann.page, { name: `first-run-${name}`, size }), []);
  };
  for (const field of ["name", "email", "password"] as const) await ann.fill(field, ANN[field]);
  await ann.press("Create the account");
  await ann.look("main ::-p-text(steps to your first notification)");
  await picture("welcome");
  await ann.press("Turn on notifications on this device");
  const isOn = "main ol ::-p-text(Notifications are on for this device)";
  await ann.page.page.waitForSelector(isOn, { timeout: SUBSCRIBED_WITHIN_MS });
  await ann.press("Create an API key");
  const key = await ann.page.see(KEY);
  await picture("key");
  await WAYS[size.name](ann);
  await ann.look(ARRIVED);
  await picture("works");
  return key;
}

/** The notification is a real one, and nothing was lost when it came. */
async function isWhole(
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

/** They stay over a reload, which alone forgets the key, until they are dismissed. */
async function dismiss({ page }: Newcomer): Promise<void> {
  await page.page.reload();
  await page.see("main ::-p-text(It works)");
  await page.see("main ::-p-text(A key is shown only once)");
  for (let left = 3; left > 0; left -= 1) await page.press("Keep it as it is");
  await page.miss("main ol ::-p-text(Keep it as it is)");
  await page.press("Close these steps");
  await page.miss("main ol");
  await page.page.reload();
  await page.see("article[data-notification]");
  await page.miss("main ol");
}
