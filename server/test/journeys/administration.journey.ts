import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { createDoubleConnector } from "../doubles/double-connector.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import type { MailServer } from "../doubles/mail-server.ts";
import {
  ANN,
  setUpServer,
  signUpWithForm,
  type ConsoleFixture,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import { findFreePort } from "../support/free-port.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { addIphone, startNativeApp, type NativeApp } from "../support/native-app.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const BEN = { name: "Ben", email: "ben@example.org", password: "another good password" };

async function startFixtureWithMail(
  t: test.TestContext,
  { service }: Pick<PushBrowsers, "service">,
) {
  const { mail, environment } = await startMailServer(t);
  const port = await findFreePort();
  const app = await startNativeApp(t, {
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_BASE_URL: `http://${LOOPBACK}:${port}`,
      TOCSIN_SIGN_UP: "",
      ...environment,
    },
    webPush: { connect: createDoubleConnector(service) },
  });
  const fixture: ConsoleFixture = {
    ...app,
    restart: () => Promise.reject(new Error("This test does not restart the server.")),
  };
  return { app, fixture, mail };
}

test("an administrator invites, suspends, tests email, and sees why a push service is held", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const { app, fixture, mail } = await startFixtureWithMail(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;

  await page.navigate("Administration");
  await page.waitFor("main h1 ::-p-text(Administration)");
  await page.waitFor("main li[data-status]");
  await page.followLink("Rules");
  await page.tab.locator("label ::-p-text(Everybody)").click();
  await page.waitFor("::-p-text(takes effect immediately)");
  assert.equal((await client.admin.settings.get()).signUp.value, "open");

  const benPage = await browsers.open(`${fixture.url}/sign-up`);
  const ben = await signUpWithForm(benPage, { url: fixture.url, applicant: BEN });
  const { key } = await ben.client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  await sender.notifyAsync({ title: "Before", body: "" });
  await page.followLink("Accounts");
  await page.press("Actions for Ben");
  await page.press("Suspend");
  await page.waitFor('[role="dialog"] ::-p-text(signed out everywhere)');
  await page.press("Suspend");
  await page.waitFor("main li ::-p-text(suspended)");
  await assert.rejects(sender.notifyAsync({ title: "After", body: "" }), { status: 401 });
  await benPage.tab.goto(`${fixture.url}/devices`);
  await benPage.waitFor("h1 ::-p-text(Sign in)");
  await benPage.fillIn({ email: BEN.email, password: BEN.password });
  await benPage.press("Sign in");
  assert.match(await benPage.waitFor('form [role="alert"]'), /This account is suspended/);

  await page.waitUntilGone('[role="dialog"]');
  await invite(ann);
  await sendTestMail(ann, mail);
  await assertApnsHeld(ann, { app, url: fixture.url });
  assert.deepEqual(page.consoleErrors, []);
});

async function invite({ page }: ConsoleUser): Promise<void> {
  await page.press("Invite a person");
  await page.press("Create the link");
  const link = await page.waitFor('[role="group"][aria-label="link"]');
  assert.match(link, /\/sign-up#token=/);
  await page.tab.keyboard.press("Escape");
  await page.waitUntilGone('[role="dialog"]');
}

async function sendTestMail({ page }: ConsoleUser, mail: MailServer): Promise<void> {
  await page.followLink("Email");
  await page.press("Send me a test email");
  await page.waitFor('main li[data-status="ok"]');
  // The first email asked Ben to confirm his address.
  assert.deepEqual((await mail.waitForMails(2)).at(-1)?.to, [ANN.email]);
  mail.refuse(ANN.email);
  await page.press("Send me a test email");
  assert.match(await page.waitFor('main li[data-status="fail"]'), /refuses the recipient \(550\)/);
}

async function assertApnsHeld(
  { page, client }: ConsoleUser,
  { app, url }: { readonly app: NativeApp; readonly url: string },
): Promise<void> {
  app.apns.setDefaultScript({ kind: "answer", status: 403, reason: "InvalidProviderToken" });
  const { key } = await client.keys.create({ kind: "account" });
  await addIphone(app, { client });
  await createClient({ baseUrl: url, apiKey: key }).notify({ title: "Held", body: "" });
  await page.navigate("Push services");
  const card = await page.waitFor('[data-provider="apns"][data-state="held"]');
  assert.match(card, /InvalidProviderToken/);
  assert.match(card, /1 notification is waiting/);
  await page.press("Validate Apple (APNs)");
  const failedCheck = await page.waitFor('[data-provider="apns"] li[data-status="fail"]');
  assert.match(failedCheck, /TOCSIN_APNS_KEY/);
}
