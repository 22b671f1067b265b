import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import type { Mail, MailServer } from "../doubles/mail-server.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { ANN } from "../support/console-stage.ts";
import { eventually } from "../support/eventually.ts";
import { startMail } from "../support/start-mail.ts";
import { startPasskeyServer } from "../support/passkey-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Matches the browser's error message about a refused request. */
const BAD_REQUEST = /\b400\b/;
const NEW_PASSWORD = "an entirely other horse";
const NEW_EMAIL = "ann@new.example.org";

test("a new password signs out other sessions, sends a mail, and replaces the old one", async (t) => {
  const { stage, mail, ann } = await startWithMail(t);
  const { page } = await stage.open("/settings/security");
  await signInAsAnn(page);
  await page.press("Change password");
  await page.fillIn({ currentPassword: "not this one", newPassword: NEW_PASSWORD });
  await page.press("Set the password");
  assert.match(await page.see("#currentPassword-error"), /not your password/);
  await page.fillIn({ currentPassword: ANN.password });
  await page.press("Set the password");
  await page.see("::-p-text(you were signed out everywhere else)");
  await page.miss('[role="dialog"]');
  await assert.rejects(ann.me(), { status: 401 });
  assert.match((await nextMailAbout(mail, "password was changed")).to.join(), /ann@example\.org/);

  // This browser stays signed in and connected to the live stream.
  await page.page.goto(`${stage.url}/settings/access`);
  await page.see("main li ::-p-text(This browser)");
  await page.see("[data-live=true]");
  await assert.rejects(createClient({ baseUrl: stage.url }).signIn(ANN), { status: 401 });
  await createClient({ baseUrl: stage.url }).signIn({ ...ANN, password: NEW_PASSWORD });
  assert.deepEqual(unexpectedComplaints(page), []);
});

test("a new email address applies once its link is opened, and the old one gets a mail", async (t) => {
  const { stage, mail, ann } = await startWithMail(t);
  const { page } = await stage.open("/settings");
  await signInAsAnn(page);
  await page.press("Change address");
  await page.fillIn({ email: NEW_EMAIL });
  await page.press("Send a link");
  await page.see(`[role="dialog"] ::-p-text(on its way to ${NEW_EMAIL})`);
  assert.equal((await ann.me()).email, ANN.email);
  const link = linkIn(await nextMailAbout(mail, "Confirm your new"));
  await page.page.goto(link);
  await page.press("Use this address");
  await page.see("main ::-p-text(Your e-mail address was changed)");
  assert.match(
    (await nextMailAbout(mail, "e-mail address of your account was changed")).to.join(),
    /ann@example\.org/,
  );
  await page.follow("Go to Tocsin");
  await page.see(`header ::-p-text(${NEW_EMAIL})`);
  await page.page.goto(link);
  await page.press("Use this address");
  await page.see('main [role="alert"] ::-p-text(no longer valid)');
  assert.equal((await ann.me()).email, NEW_EMAIL);
  assert.deepEqual(unexpectedComplaints(page), []);
});

test("a person can request the confirmation link again", async (t) => {
  const { stage, mail, ann } = await startWithMail(t);
  const { page } = await stage.open("/verify#token=over");
  await page.press("Confirm the address");
  await page.follow("Get a new link");
  await signInAsAnn(page);
  await page.see("main ::-p-text(Not confirmed)");
  await nextMailAbout(mail, "Confirm your e-mail address");
  await page.press("Send the link again");
  await page.see(`::-p-text(on its way to ${ANN.email})`);
  const secondMail = await nextMailAbout(mail, "Confirm your e-mail address");
  assert.deepEqual(secondMail.to, [ANN.email]);
  await page.page.goto(linkIn(secondMail));
  await page.press("Confirm the address");
  await page.see("main ::-p-text(is confirmed)");
  assert.equal((await ann.profile.security()).isEmailVerified, true);
  await page.page.goto(`${stage.url}/settings`);
  await page.see("main ::-p-text(Change address)");
  await page.see(`main section ::-p-text(${ANN.email})`);
  await page.miss("::-p-text(Send the link again)");
  assert.deepEqual(unexpectedComplaints(page), []);
});

test("the account export is saved as one file", async (t) => {
  const { stage, ann } = await startWithMail(t);
  await ann.keys.create({ kind: "account", label: "Backup script" });
  await ann.notifications.send({ title: "Nightly backup", body: "It failed." });
  const { page } = await stage.open("/settings");
  const folder = await allowDownloads(t, page);
  await signInAsAnn(page);
  await page.press("Download");
  // Chromium renames a download to its final name when it is complete.
  const name = "tocsin-account.json";
  await eventually(
    () => readdir(folder),
    (names) => names.includes(name),
  );
  const saved: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
  const expected: unknown = await new Response(await ann.profile.export()).json();
  assert.deepEqual(Object.keys(Object(saved)), Object.keys(Object(expected)));
  const savedJson = JSON.stringify(saved);
  for (const text of [ANN.email, "Backup script", "Nightly backup"]) {
    assert.ok(savedJson.includes(text), text);
  }
  assert.deepEqual(page.complaints, []);
});

test("the session list ends a session, and marks paired ones", async (t) => {
  const { stage, ann } = await startWithMail(t);
  const { page } = await stage.open("/settings/access");
  await signInAsAnn(page);
  await page.see("main li ::-p-text(This browser)");
  const { code } = await ann.pairings.create();
  const phone = createClient({ baseUrl: stage.url });
  await phone.pair({ code });
  await page.page.reload();
  const { items } = await ann.sessions.list();
  const paired = items.find(({ isPaired }) => isPaired);
  assert.match(await page.see(`main li[data-id="${paired?.id}"]`), /Added by another device/);
  const direct = items
    .filter(({ isPaired }) => !isPaired)
    .map(({ id }) => `main li[data-id="${id}"]`);
  for (const item of direct) assert.match(await page.see(item), /Signed in/);

  await page.page.locator(`main li[data-id="${paired?.id}"] button`).click();
  await page.miss(`main li[data-id="${paired?.id}"]`);
  await assert.rejects(phone.me(), { status: 401 });
  assert.equal((await ann.me()).email, ANN.email);
  assert.deepEqual(page.complaints, []);
});

/** Starts a server that sends mail, with Ann signed up but her email address unconfirmed. */
async function startWithMail(t: TestContext) {
  const { mail, environment } = await startMail(t);
  const stage = await startPasskeyServer(t, environment);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  return { stage, mail, ann };
}

async function signInAsAnn(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
}

/** Resolves with the next mail whose subject contains the text; skips earlier mails. */
async function nextMailAbout(mail: MailServer, subject: string): Promise<Mail> {
  const next = await mail.next();
  return next.subject.includes(subject) ? next : nextMailAbout(mail, subject);
}

function linkIn({ text }: Mail): string {
  return /https?:\/\/\S+token=\S+/.exec(text ?? "")?.[0] ?? "";
}

async function allowDownloads(t: TestContext, { page }: ConsolePage): Promise<string> {
  const folder = await temporaryFolder(t);
  const devTools = await page.createCDPSession();
  await devTools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  return folder;
}

function unexpectedComplaints(page: ConsolePage): readonly string[] {
  return page.complaints.filter((complaint) => !BAD_REQUEST.test(complaint));
}
