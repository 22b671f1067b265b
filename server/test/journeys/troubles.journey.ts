import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { dialTo } from "../doubles/dial-to.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { examine, resize, SIZES } from "../support/console-look.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, signUp, type ConsoleStage, type Visitor } from "../support/console-stage.ts";
import { freePort } from "../support/free-port.ts";
import { addAndroid, addIphone, startNativeApp } from "../support/native.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const BEN = { name: "Ben", email: "ben@example.org", password: "another good password" };
const CARA = { name: "Cara", email: "cara@example.org", password: "one more good password" };
const MINUTE_MS = 60_000;
/** Consecutive failures after which the service counts as down. */
const FAILURE_COUNT = 6;
const INVALID_TOKEN = { kind: "answer", status: 403, reason: "InvalidProviderToken" } as const;

/** Starts a server that reaches browsers, iPhones and Androids, on a clock that the test can advance. */
async function startServer(t: TestContext, { service }: Pick<PushBrowsers, "service">) {
  const port = await freePort();
  let advancedMs = 0;
  const app = await startNativeApp(t, {
    now: () => Date.now() + advancedMs,
    isOneProcess: true,
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_BASE_URL: `http://${LOOPBACK}:${port}`,
      TOCSIN_RATE_LIMIT_PER_S: "0",
    },
    webPush: { connect: dialTo(service) },
  });
  const stage: ConsoleStage = {
    ...app,
    restart: () => Promise.reject(new Error("This test does not restart the server.")),
  };
  return { app, stage, advance: (ms: number) => (advancedMs += ms) };
}

const BANNER = '[role="status"]';

for (const [browserName, start] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: pages warn the affected people about a failing push service`, async (t) => {
    const browsers = await start(t);
    const { app, stage, advance } = await startServer(t, browsers);
    const ann = await setUp(stage, browsers);
    const ben = await visit(stage, browsers, BEN);
    const cara = await visit(stage, browsers, CARA);
    await addIphone(app, ben);
    const badge = await ann.page.see("header [data-live]");
    assert.equal(badge, "Live");

    app.apns.always(INVALID_TOKEN);
    await sendFrom(stage, ben);
    assert.match(
      await ann.page.see(`${BANNER} ::-p-text(Apple (APNs\\) has rejected)`),
      /rejected this server's credentials/,
    );
    await ann.page.see("nav [data-bad] ::-p-text(1 push service has problems)");
    const lateNotice = `${BANNER} ::-p-text(Your notifications are late on 1 device)`;
    await ben.page.see(lateNotice);
    await ben.page.miss("nav [data-bad]");
    await ann.page.go("Administration");
    await ann.page.see('main li[data-status="fail"] ::-p-text(apns production)');
    if (browserName === "Chromium") {
      assert.deepEqual(await examineAllSizes(ann.page, "trouble-admin"), []);
      await ben.page.press("Close");
      assert.deepEqual(await examineAllSizes(ben.page, "trouble-late"), []);
    }

    app.apns.always(null);
    advance(6 * MINUTE_MS);
    await sendFrom(stage, ben);
    await ann.page.miss("nav [data-bad]");
    await ben.page.miss(lateNotice);

    for (let added = 0; added < FAILURE_COUNT; added += 1) {
      const { android } = await addAndroid(app, cara);
      android.script(UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE);
    }
    await sendFrom(stage, cara);
    await ann.page.see(`${BANNER} ::-p-text(Google (FCM\\) has returned errors or no response)`);
    await cara.page.see(
      `${BANNER} ::-p-text(Your notifications are late on ${FAILURE_COUNT} devices)`,
    );
    await ben.page.miss(lateNotice);
    const complaints = [ann, ben, cara].flatMap(({ page }) => page.complaints);
    assert.deepEqual(complaints, []);
  });
}

const UNAVAILABLE = { kind: "answer", status: 503, headers: {}, body: "" } as const;

async function visit(
  stage: ConsoleStage,
  browsers: PushBrowsers,
  applicant: typeof BEN,
): Promise<Visitor> {
  const page = await browsers.open(`${stage.url}/sign-up`);
  const visitor = await signUp(page, { url: stage.url, applicant });
  await page.see("[data-live=true]");
  return visitor;
}

async function sendFrom({ url }: ConsoleStage, { client }: Visitor): Promise<void> {
  const { key, id } = await client.keys.create({ kind: "account" });
  await createClient({ baseUrl: url, apiKey: key }).notify({ title: "Hello", body: "" });
  await client.keys.remove(id);
}

async function examineAllSizes(page: ConsolePage, name: string) {
  const findings = [];
  for (const size of SIZES) {
    await resize(page, size);
    findings.push(...(await examine(page, { name, size })));
  }
  await resize(page, SIZES[0]);
  return findings;
}
