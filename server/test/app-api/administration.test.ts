import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { closeHttpServer, listen, LOOPBACK } from "../doubles/listen.ts";
import { MailServer } from "../doubles/mail-server.ts";
import { startAdministeredApp, setUpAdministrator } from "../support/administrator.ts";
import { addDevice, startApp } from "../support/app.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { addIphone, startNativeApp } from "../support/native-app.ts";
import { parseLinkToken } from "../support/link-token.ts";

test("changed settings survive a restart; a setting from the environment cannot be changed", async (t) => {
  const app = await startAdministeredApp(t);
  const { settings } = app.root.client.admin;
  assert.deepEqual(await settings.get(), {
    signUp: { value: "invite", fixedBy: null },
    retentionDays: { value: 30, fixedBy: null },
  });
  const signUpWithName = (name: string) =>
    createClient({ baseUrl: app.url }).signUp({
      email: `${name}@example.org`,
      name,
      password: "a password of theirs",
    });
  await assert.rejects(signUpWithName("early"), { code: "invitation_required" });
  await settings.update({ signUp: "open", retentionDays: 7 });
  await signUpWithName("ann");
  await settings.update({ signUp: "closed" });
  await assert.rejects(signUpWithName("late"), { code: "sign_up_closed" });
  const { invitations } = app.root.client.admin;
  await assert.rejects(invitations.create(), { code: "sign_up_closed" });
  for (const days of [0, 3_651, 1.5]) {
    await assert.rejects(settings.update({ retentionDays: days }), { field: "retentionDays" });
  }
  await app.app.stop();
  const { dataDir, push } = app;
  const restartedApp = await startApp(t, {
    dataDir,
    push,
    environment: { TOCSIN_SIGN_UP: "open", TOCSIN_RETENTION_DAYS: "" },
  });
  const root = createClient({ baseUrl: restartedApp.url });
  await root.signIn({ email: app.root.email, password: "password of Root" });
  assert.deepEqual(await root.admin.settings.get(), {
    signUp: { value: "open", fixedBy: "TOCSIN_SIGN_UP" },
    retentionDays: { value: 7, fixedBy: null },
  });
  await assert.rejects(root.admin.settings.update({ signUp: "closed" }), {
    status: 409,
    message: /TOCSIN_SIGN_UP overrides this setting/,
  });
});

test("the provider list shows settings, state and waiting notifications, but no secret; a check of a provider finds refused credentials", async (t) => {
  const app = await startNativeApp(t, {
    environment: { TOCSIN_SIGN_UP: "" },
    isSingleProcess: true,
  });
  const { accountId, client } = await setUpAdministrator(app, "root@example.org");
  const { key } = await client.keys.create({ kind: "account" });
  const person = { client };
  await addDevice(app, person);
  const listAll = async () => (await client.admin.providers.list()).items;
  assert.deepEqual(
    (await listAll()).map(({ provider, state, deviceCount }) => [provider, state, deviceCount]),
    [
      ["webpush", "unused", 1],
      ["apns", "unused", 0],
      ["fcm", "unused", 0],
    ],
  );
  const owner = { accountId, client, key, email: "", withKey: () => client };
  await addIphone(app, owner);
  app.apns.setDefaultScript({ kind: "answer", status: 403, reason: "InvalidProviderToken" });
  const sender = createClient({ baseUrl: app.url, apiKey: key });
  await sender.notify({ title: "One", body: "" });
  const [webpush, apns] = await listAll();
  assert.equal(webpush?.state, "working");
  assert.notEqual(webpush?.lastAcceptedAt, null);
  assert.deepEqual(
    [apns?.state, apns?.waitingCount, apns?.lastAcceptedAt, apns?.lastFailure?.code],
    ["held", 1, null, "provider_misconfigured"],
  );
  const [trouble] = apns?.troubles ?? [];
  assert.deepEqual([trouble?.service, trouble?.cause], ["apns production", "credentials"]);
  assert.match(trouble?.message ?? "", /credentials were refused \(.*InvalidProviderToken/);
  assert.deepEqual(
    apns?.settings.map(({ name }) => name),
    ["keyId", "teamId", "topic"],
  );
  const text = JSON.stringify(await listAll());
  assert.doesNotMatch(text, /PRIVATE|private_key|client_email|iam\.gserviceaccount/i);

  const lines = (await client.admin.providers.validate("apns")).items;
  assert.deepEqual(
    lines.map(({ subject, status }) => [subject, status]),
    [
      ["apns production", "fail"],
      ["apns sandbox", "ok"],
    ],
  );
  assert.match(lines[0]?.mend ?? "", /TOCSIN_APNS_KEY/);
  app.apns.setDefaultScript(null);
  const repairedChecks = (await client.admin.providers.validate("apns")).items;
  assert.ok(repairedChecks.every(({ status }) => status === "ok"));
  assert.ok((await client.admin.providers.validate("fcm")).items.length > 0);
  // The SDK's types allow only known providers.
  const unknownProvider = "pigeon" as "apns";
  await assert.rejects(client.admin.providers.validate(unknownProvider), { status: 404 });
});

test("a provider without credentials is off", async (t) => {
  const { root } = await startAdministeredApp(t);
  const { items } = await root.client.admin.providers.list();
  assert.deepEqual(
    items.map(({ provider, isConfigured, state }) => [provider, isConfigured, state]),
    [
      ["webpush", true, "unused"],
      ["apns", false, "off"],
      ["fcm", false, "off"],
    ],
  );
});

test("a test email is sent immediately, and a failure names the mail server's reason", async (t) => {
  const mail = await MailServer.start({ login: { user: "tocsin", password: "right" } });
  t.after(() => mail.close());
  const withLogin = (password: string) => ({
    TOCSIN_SMTP_URL: mail.url.replace("//", `//tocsin:${password}@`),
    TOCSIN_MAIL_FROM: "Tocsin <tocsin@example.org>",
  });
  const { root } = await startAdministeredApp(t, { environment: withLogin("right") });
  const { admin } = root.client;
  const sentMail = await admin.testMail();
  assert.deepEqual([sentMail.status, sentMail.mend], ["ok", null]);
  assert.deepEqual((await mail.next()).to, [root.email]);
  mail.refuse("nobody@example.org");
  const refusedMail = await admin.testMail({ to: "nobody@example.org" });
  assert.equal(refusedMail.status, "fail");
  assert.match(refusedMail.message, /refuses the recipient \(550\)/);
  await assert.rejects(admin.testMail({ to: "no address" }), { code: "invalid_email" });

  const wrongLoginApp = await startAdministeredApp(t, { environment: withLogin("wrong") });
  const login = await wrongLoginApp.root.client.admin.testMail();
  assert.match(login.message, /refuses the login \(535\)/);
  assert.match(login.mend ?? "", /TOCSIN_SMTP_URL/);
  assert.doesNotMatch(JSON.stringify(login), /wrong/);
  await mail.close();
  assert.match((await admin.testMail()).message, /refuses connections/);
});

test("without a mail server, a test email names the setting; the sixth test email is refused", async (t) => {
  const { root } = await startAdministeredApp(t);
  const { admin } = root.client;
  for (let count = 0; count < 5; count += 1)
    assert.match((await admin.testMail()).mend ?? "", /TOCSIN_SMTP_URL/);
  await assert.rejects(admin.testMail(), { status: 429 });
});

test("an emailed sign-up invitation verifies the email address", async (t) => {
  const { mail, environment } = await startMailServer(t);
  const app = await startAdministeredApp(t, { environment });
  const { admin } = app.root.client;
  const invitation = await admin.invitations.create({ email: "ann@example.org" });
  assert.equal(invitation.isMailed, true);
  const { text } = await mail.next();
  const link = /http\S+\/sign-up#token=\S+/.exec(text ?? "")?.[0] ?? "";
  assert.notEqual(link, invitation.link);
  const token = parseLinkToken(link);
  const ann = createClient({ baseUrl: app.url });
  await ann.signUp({ email: "ann@example.org", name: "Ann", password: "password of Ann", token });
  const { items } = await admin.accounts.list({ q: "ann" });
  assert.equal(items[0]?.isEmailVerified, true);
});

test("health shows facts of the running server, and warns of an untrusted proxy", async (t) => {
  const app = await startAdministeredApp(t);
  const { client, email } = app.root;
  const health = await client.admin.health();
  assert.match(health.version, /^\d+\.\d+\.\d+$/);
  assert.equal(health.database.engine, app.app.context.database.engine.name);
  assert.ok(health.database.sizeBytes > 100_000);
  assert.match(health.database.step, /^\d{4}-/);
  assert.ok(health.disk.freeBytes > 0 && health.disk.freeBytes <= health.disk.totalBytes);
  assert.deepEqual(health.queue, { jobs: 0, due: 0, oldestDueMs: 0 });
  assert.equal(health.mail.isConfigured, false);
  // No external release server is requested.
  assert.ok(health.findings.every(({ subject }) => subject !== "version"));
  const address = health.findings.find(({ subject }) => subject === "address");
  assert.match(address?.message ?? "", /You opened Tocsin at http:\/\/127\.0\.0\.1:\d+, but links/);
  const session = createClient({ baseUrl: app.url });
  await session.signIn({ email, password: "password of Root" });
  const { token } = await session.accessTokens.create({ label: "test" });
  const response = await fetch(`${app.url}/api/app/v1/admin/health`, {
    headers: { authorization: `Bearer ${token}`, "x-forwarded-proto": "https" },
  });
  assert.match(await response.text(), /TOCSIN_TRUST_PROXY/);
});

test("health reports a newer release if the releases URL is set", async (t) => {
  const release = { tag_name: "v999.0.0", html_url: "https://example.org/999" };
  const releaseServer = createServer((_, response) => response.end(JSON.stringify(release)));
  const port = await listen(releaseServer);
  t.after(() => closeHttpServer(releaseServer));
  const environment = { TOCSIN_RELEASES_URL: `http://${LOOPBACK}:${port}/latest` };
  const app = await startAdministeredApp(t, { environment });
  const { findings } = await app.root.client.admin.health();
  const finding = findings.find(({ subject }) => subject === "version");
  assert.match(finding?.message ?? "", /Tocsin 999\.0\.0 is available/);
});
