import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { dialTo } from "../doubles/dial-to.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import type { MailServer } from "../doubles/mail-server.ts";
import { ANN, setUp, signUp, type ConsoleStage, type Visitor } from "../support/console-stage.ts";
import { freePort } from "../support/free-port.ts";
import { startMail } from "../support/start-mail.ts";
import { addIphone, startNativeApp, type NativeApp } from "../support/native.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const BEN = { name: "Ben", email: "ben@example.org", password: "another good password" };

async function startStageWithMail(t: test.TestContext, { service }: Pick<PushBrowsers, "service">) {
  const { mail, environment } = await startMail(t);
  const port = await freePort();
  const app = await startNativeApp(t, {
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_BASE_URL: `http://${LOOPBACK}:${port}`,
      TOCSIN_SIGN_UP: "",
      ...environment,
    },
    webPush: { connect: dialTo(service) },
  });
  const stage: ConsoleStage = {
    ...app,
    restart: () => Promise.reject(new Error("This test does not restart the server.")),
  };
  return { app, stage, mail };
}

test("an administrator invites, suspends, tests mail, and sees why a push service is held", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const { app, stage, mail } = await startStageWithMail(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;

  await page.go("Administration");
  await page.see("main h1 ::-p-text(Administration)");
  await page.see("main li[data-status]");
  await page.follow("Rules");
  await page.page.locator("label ::-p-text(Everybody)").click();
  await page.see("::-p-text(takes effect immediately)");
  assert.equal((await client.admin.settings.get()).signUp.value, "open");

  const benPage = await browsers.open(`${stage.url}/sign-up`);
  const ben = await signUp(benPage, { url: stage.url, applicant: BEN });
  const { key } = await ben.client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: stage.url, apiKey: key });
  await sender.notifyAsync({ title: "Before", body: "" });
  await page.follow("Accounts");
  await page.press("Actions for Ben");
  await page.press("Suspend");
  await page.see('[role="dialog"] ::-p-text(signed out everywhere)');
  await page.press("Suspend");
  await page.see("main li ::-p-text(suspended)");
  await assert.rejects(sender.notifyAsync({ title: "After", body: "" }), { status: 401 });
  await benPage.page.goto(`${stage.url}/devices`);
  await benPage.see("h1 ::-p-text(Sign in)");
  await benPage.fillIn({ email: BEN.email, password: BEN.password });
  await benPage.press("Sign in");
  assert.match(await benPage.see('form [role="alert"]'), /This account is suspended/);

  await page.miss('[role="dialog"]');
  await invite(ann);
  await testMail(ann, mail);
  await holdApple(ann, { app, url: stage.url });
  assert.deepEqual(page.complaints, []);
});

async function invite({ page }: Visitor): Promise<void> {
  await page.press("Invite a person");
  await page.press("Create the link");
  const link = await page.see('[role="group"][aria-label="link"]');
  assert.match(link, /\/sign-up#token=/);
  await page.page.keyboard.press("Escape");
  await page.miss('[role="dialog"]');
}

async function testMail({ page }: Visitor, mail: MailServer): Promise<void> {
  await page.follow("E-mail");
  await page.press("Send me a test e-mail");
  await page.see('main li[data-status="ok"]');
  // The first mail asked Ben to confirm his address.
  assert.deepEqual((await mail.received(2)).at(-1)?.to, [ANN.email]);
  mail.refuse(ANN.email);
  await page.press("Send me a test e-mail");
  assert.match(await page.see('main li[data-status="fail"]'), /refuses the recipient \(550\)/);
}

async function holdApple(
  { page, client }: Visitor,
  { app, url }: { readonly app: NativeApp; readonly url: string },
): Promise<void> {
  app.apns.always({ kind: "answer", status: 403, reason: "InvalidProviderToken" });
  const { key } = await client.keys.create({ kind: "account" });
  await addIphone(app, { client });
  await createClient({ baseUrl: url, apiKey: key }).notify({ title: "Held", body: "" });
  await page.go("Push services");
  const card = await page.see('[data-provider="apns"][data-state="held"]');
  assert.match(card, /InvalidProviderToken/);
  assert.match(card, /1 notification is waiting/);
  await page.press("Validate Apple (APNs)");
  const failedCheck = await page.see('[data-provider="apns"] li[data-status="fail"]');
  assert.match(failedCheck, /TOCSIN_APNS_KEY/);
}
