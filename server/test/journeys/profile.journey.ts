import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import type { Mail, MailServer } from "../doubles/mail-server.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { ANN } from "../support/console-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { startPasskeyServer } from "../support/passkey-server.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Matches the browser's error message about a response with status 400. */
const BAD_REQUEST = /\b400\b/;
const NEW_PASSWORD = "an entirely other horse";
const NEW_EMAIL = "ann@new.example.org";

test("a new password signs out other sessions, sends an email, and replaces the old one", async (t) => {
  const { fixture, mail, ann } = await startWithMail(t);
  const { page } = await fixture.openPage("/settings/security");
  await signInAsAnn(page);
  await page.press("Change password");
  await page.fillIn({ currentPassword: "not this one", newPassword: NEW_PASSWORD });
  await page.press("Set the password");
  assert.match(await page.waitFor("#currentPassword-error"), /not your password/);
  await page.fillIn({ currentPassword: ANN.password });
  await page.press("Set the password");
  await page.waitFor("::-p-text(you were signed out everywhere else)");
  await page.waitUntilGone('[role="dialog"]');
  await assert.rejects(ann.me(), { status: 401 });
  assert.match(
    (await waitForMailAbout(mail, "password was changed")).to.join(),
    /ann@example\.org/,
  );

  // This browser stays signed in and connected to the live stream.
  await page.tab.goto(`${fixture.url}/settings/access`);
  await page.waitFor("main li ::-p-text(This browser)");
  await page.waitFor("[data-live=true]");
  await assert.rejects(createClient({ baseUrl: fixture.url }).signIn(ANN), { status: 401 });
  await createClient({ baseUrl: fixture.url }).signIn({ ...ANN, password: NEW_PASSWORD });
  assert.deepEqual(listUnexpectedErrors(page), []);
});

test("a new email address applies once its link is opened, and the old one gets an email", async (t) => {
  const { fixture, mail, ann } = await startWithMail(t);
  const { page } = await fixture.openPage("/settings");
  await signInAsAnn(page);
  await page.press("Change address");
  await page.fillIn({ email: NEW_EMAIL });
  await page.press("Send a link");
  await page.waitFor(`[role="dialog"] ::-p-text(on its way to ${NEW_EMAIL})`);
  assert.equal((await ann.me()).email, ANN.email);
  const link = findLink(await waitForMailAbout(mail, "Confirm your new"));
  await page.tab.goto(link);
  await page.press("Use this address");
  await page.waitFor("main ::-p-text(Your email address was changed)");
  assert.match(
    (await waitForMailAbout(mail, "email address of your account was changed")).to.join(),
    /ann@example\.org/,
  );
  await page.followLink("Go to Tocsin");
  await page.waitFor(`header ::-p-text(${NEW_EMAIL})`);
  await page.tab.goto(link);
  await page.press("Use this address");
  await page.waitFor('main [role="alert"] ::-p-text(no longer valid)');
  assert.equal((await ann.me()).email, NEW_EMAIL);
  assert.deepEqual(listUnexpectedErrors(page), []);
});

test("a person can request the confirmation link again", async (t) => {
  const { fixture, mail, ann } = await startWithMail(t);
  const { page } = await fixture.openPage("/verify#token=expired");
  await page.press("Confirm the address");
  await page.followLink("Get a new link");
  await signInAsAnn(page);
  await page.waitFor("main ::-p-text(Not confirmed)");
  await waitForMailAbout(mail, "Confirm your email address");
  await page.press("Send the link again");
  await page.waitFor(`::-p-text(on its way to ${ANN.email})`);
  const secondMail = await waitForMailAbout(mail, "Confirm your email address");
  assert.deepEqual(secondMail.to, [ANN.email]);
  await page.tab.goto(findLink(secondMail));
  await page.press("Confirm the address");
  await page.waitFor("main ::-p-text(is confirmed)");
  assert.equal((await ann.profile.security()).isEmailVerified, true);
  await page.tab.goto(`${fixture.url}/settings`);
  await page.waitFor("main ::-p-text(Change address)");
  await page.waitFor(`main section ::-p-text(${ANN.email})`);
  await page.waitUntilGone("::-p-text(Send the link again)");
  assert.deepEqual(listUnexpectedErrors(page), []);
});

test("the account export is saved as one file", async (t) => {
  const { fixture, ann } = await startWithMail(t);
  await ann.keys.create({ kind: "account", label: "Backup script" });
  await ann.notifications.send({ title: "Nightly backup", body: "It failed." });
  const { page } = await fixture.openPage("/settings");
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
  assert.deepEqual(page.consoleErrors, []);
});

test("a person ends a session in the session list, which marks paired sessions", async (t) => {
  const { fixture, ann } = await startWithMail(t);
  const { page } = await fixture.openPage("/settings/access");
  await signInAsAnn(page);
  await page.waitFor("main li ::-p-text(This browser)");
  const { code } = await ann.pairings.create();
  const phone = createClient({ baseUrl: fixture.url });
  await phone.pair({ code });
  await page.tab.reload();
  const { items } = await ann.sessions.list();
  const paired = items.find(({ isPaired }) => isPaired);
  assert.match(await page.waitFor(`main li[data-id="${paired?.id}"]`), /Added by another device/);
  const directSelectors = items
    .filter(({ isPaired }) => !isPaired)
    .map(({ id }) => `main li[data-id="${id}"]`);
  for (const selector of directSelectors) assert.match(await page.waitFor(selector), /Signed in/);

  await page.tab.locator(`main li[data-id="${paired?.id}"] button`).click();
  await page.waitUntilGone(`main li[data-id="${paired?.id}"]`);
  await assert.rejects(phone.me(), { status: 401 });
  assert.equal((await ann.me()).email, ANN.email);
  assert.deepEqual(page.consoleErrors, []);
});

/** Starts a server that sends email, with Ann signed up but her email address unconfirmed. */
async function startWithMail(t: TestContext) {
  const { mail, environment } = await startMailServer(t);
  const fixture = await startPasskeyServer(t, environment);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  return { fixture, mail, ann };
}

async function signInAsAnn(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
}

/** Resolves with the next email whose subject contains the text; skips earlier emails. */
async function waitForMailAbout(mail: MailServer, subject: string): Promise<Mail> {
  const nextMail = await mail.next();
  return nextMail.subject.includes(subject) ? nextMail : waitForMailAbout(mail, subject);
}

function findLink({ text }: Mail): string {
  return /https?:\/\/\S+token=\S+/.exec(text ?? "")?.[0] ?? "";
}

async function allowDownloads(t: TestContext, { tab }: ConsolePage): Promise<string> {
  const folder = await createTemporaryFolder(t);
  const devTools = await tab.createCDPSession();
  await devTools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  return folder;
}

function listUnexpectedErrors(page: ConsolePage): readonly string[] {
  return page.consoleErrors.filter((error) => !BAD_REQUEST.test(error));
}
