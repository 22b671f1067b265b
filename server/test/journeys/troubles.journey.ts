import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { createDoubleConnector } from "../doubles/double-connector.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { inspectPage, resizePage, JOURNEY_SIZES } from "../support/console-inspection.ts";
import type { ConsolePage } from "../support/console-page.ts";
import {
  setUpServer,
  signUpWithForm,
  type ConsoleFixture,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import { findFreePort } from "../support/free-port.ts";
import { addAndroid, addIphone, startNativeApp } from "../support/native-app.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const BEN = { name: "Ben", email: "ben@example.org", password: "another good password" };
const CARA = { name: "Cara", email: "cara@example.org", password: "one more good password" };
const MINUTE_MS = 60_000;
/** Consecutive failures after which the service counts as down. */
const FAILURE_COUNT = 6;
const INVALID_TOKEN = { kind: "answer", status: 403, reason: "InvalidProviderToken" } as const;

/** Starts a server that reaches browsers, iPhones and Androids, on a clock that the test can advance. */
async function startServer(t: TestContext, { service }: Pick<PushBrowsers, "service">) {
  const port = await findFreePort();
  let advancedMs = 0;
  const app = await startNativeApp(t, {
    now: () => Date.now() + advancedMs,
    isSingleProcess: true,
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_BASE_URL: `http://${LOOPBACK}:${port}`,
      TOCSIN_RATE_LIMIT_PER_S: "0",
    },
    webPush: { connect: createDoubleConnector(service) },
  });
  const fixture: ConsoleFixture = {
    ...app,
    restart: () => Promise.reject(new Error("This test does not restart the server.")),
  };
  return { app, fixture, advance: (ms: number) => (advancedMs += ms) };
}

const BANNER = '[role="status"]';

for (const [browserName, start] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: pages warn the affected people about a failing push service`, async (t) => {
    const browsers = await start(t);
    const { app, fixture, advance } = await startServer(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const ben = await signUpAndRegisterBrowser(fixture, browsers, BEN);
    const cara = await signUpAndRegisterBrowser(fixture, browsers, CARA);
    await addIphone(app, ben);
    const badge = await ann.page.waitFor("header [data-live]");
    assert.equal(badge, "Live");

    app.apns.setDefaultScript(INVALID_TOKEN);
    await sendFrom(fixture, ben);
    assert.match(
      await ann.page.waitFor(`${BANNER} ::-p-text(Apple (APNs\\) has rejected)`),
      /rejected this server's credentials/,
    );
    await ann.page.waitFor("nav [data-problem] ::-p-text(1 push service has problems)");
    const lateNotice = `${BANNER} ::-p-text(Your notifications are late on 1 device)`;
    await ben.page.waitFor(lateNotice);
    await ben.page.waitUntilGone("nav [data-problem]");
    await ann.page.navigate("Administration");
    await ann.page.waitFor('main li[data-status="fail"] ::-p-text(apns production)');
    if (browserName === "Chromium") {
      assert.deepEqual(await inspectAllSizes(ann.page, "trouble-admin"), []);
      await ben.page.press("Close");
      assert.deepEqual(await inspectAllSizes(ben.page, "trouble-late"), []);
    }

    app.apns.setDefaultScript(null);
    // A refused service is tried again after five minutes.
    advance(6 * MINUTE_MS);
    await sendFrom(fixture, ben);
    await ann.page.waitUntilGone("nav [data-problem]");
    await ben.page.waitUntilGone(lateNotice);

    for (let added = 0; added < FAILURE_COUNT; added += 1) {
      const { android } = await addAndroid(app, cara);
      android.script(UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE);
    }
    await sendFrom(fixture, cara);
    await ann.page.waitFor(
      `${BANNER} ::-p-text(Google (FCM\\) has returned errors or no response)`,
    );
    await cara.page.waitFor(
      `${BANNER} ::-p-text(Your notifications are late on ${FAILURE_COUNT} devices)`,
    );
    await ben.page.waitUntilGone(lateNotice);
    const consoleErrors = [ann, ben, cara].flatMap(({ page }) => page.consoleErrors);
    assert.deepEqual(consoleErrors, []);
  });
}

const UNAVAILABLE = { kind: "answer", status: 503, headers: {}, body: "" } as const;

async function signUpAndRegisterBrowser(
  fixture: ConsoleFixture,
  browsers: PushBrowsers,
  applicant: typeof BEN,
): Promise<ConsoleUser> {
  const page = await browsers.open(`${fixture.url}/sign-up`);
  const visitor = await signUpWithForm(page, { url: fixture.url, applicant });
  await page.waitFor("[data-live=true]");
  return visitor;
}

async function sendFrom({ url }: ConsoleFixture, { client }: ConsoleUser): Promise<void> {
  const { key, id } = await client.keys.create({ kind: "account" });
  await createClient({ baseUrl: url, apiKey: key }).notify({ title: "Hello", body: "" });
  await client.keys.remove(id);
}

async function inspectAllSizes(page: ConsolePage, name: string) {
  const findings = [];
  for (const size of JOURNEY_SIZES) {
    await resizePage(page, size);
    findings.push(...(await inspectPage(page, { name, size })));
  }
  await resizePage(page, JOURNEY_SIZES[0]);
  return findings;
}
