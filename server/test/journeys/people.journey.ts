import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import {
  inspectPage,
  resizePage,
  JOURNEY_SIZES,
  type Finding,
} from "../support/console-inspection.ts";
import type { ConsolePage } from "../support/console-page.ts";
import {
  setUpServer,
  signUpWithForm,
  startConsoleFixture,
  type ConsoleFixture,
} from "../support/console-fixture.ts";
import { Newcomer } from "../support/newcomer.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const BEN = { name: "Ben", email: "ben@example.org", password: "password of Ben" };
const CLEO = { name: "Cleo", email: "cleo@example.org", password: "password of Cleo" };
const NEW_PASSWORD = "another one of Cleo";

/** Maximum number of actions from the opened link to the first notification. */
const ACTIONS_MAX = 5;
/** Permission prompts that a person would answer; the test browsers accept them automatically. */
const BROWSER_PROMPTS = 1;
/** Failed sign-ins after which the server refuses further ones for a while. */
const FAILED_SIGN_INS_MAX = 10;
/** A newly started Chromium may take long to register with its push service. */
const SUBSCRIBE_MAX_MS = 180_000;
const NOTIFICATIONS_ON = "main ol ::-p-text(Notifications are on for this device)";

test("links invite people and reset a forgotten password on a server without email", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { link } = await ann.client.admin.invitations.create({ email: BEN.email });
  const ben = await signUpWithForm(await browsers.open(link), { url: fixture.url, applicant: BEN });
  await createTeam(ben.page, "Friends");
  const cleoLink = await inviteCleo(ben.page);

  const cleo = await browsers.open(cleoLink);
  await cleo.waitFor("h1 ::-p-text(Ben invites you to Friends)");
  await cleo.fillIn({ name: CLEO.name, password: CLEO.password });
  await cleo.press("Create the account and join");
  await cleo.waitFor("h1 ::-p-text(You are a member of Friends)");
  await cleo.followLink("Go to Tocsin");
  const steps = await cleo.waitFor("main ol");
  assert.match(steps, /You get notifications from Friends/);
  assert.doesNotMatch(steps, /terminal|API key/);

  const { id } = await ann.client.teams.create({ name: "Operations" });
  await ann.client.teams.invite(id, { email: BEN.email });
  await ben.page.tab.goto(`${fixture.url}/teams`);
  await ben.page.waitFor('main ul[aria-label="Invitations to you"] ::-p-text(Operations)');
  await ben.page.press("Accept");
  await ben.page.waitFor('main ul[aria-label="Your teams"] ::-p-text(Operations)');

  await resetPassword(cleo, fixture, async () => {
    const { items } = await ann.client.admin.accounts.list({ q: CLEO.email });
    return (await ann.client.admin.accounts.resetLink(items[0]?.id ?? "")).link;
  });
  assert.deepEqual([...ann.page.consoleErrors, ...ben.page.consoleErrors], []);
  assert.deepEqual(cleo.consoleErrors, []);
});

for (const [name, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`in ${name}, an invited person gets a team's notification after at most ${ACTIONS_MAX} actions`, async (t) => {
    const browsers = await startBrowsers(t);
    const fixture = await startConsoleFixture(t, browsers);
    const { client } = await setUpServer(fixture, browsers);
    const team = await client.teams.create({ name: "Operations" });
    const { link } = await client.teams.invite(team.id, { email: CLEO.email });
    const page = await browsers.open(link);
    const examineStep =
      name === "Chromium" ? (step: string) => inspectAllSizes(page, step) : async () => {};
    await page.waitFor("h1 ::-p-text(Ann invites you to Operations)");
    assert.equal(await readValue(page, "email"), CLEO.email);
    await examineStep("invited-1-link");
    const cleo = new Newcomer(page);
    await cleo.fill("password", CLEO.password);
    await cleo.press("Create the account and join");
    await page.waitFor("h1 ::-p-text(You are a member of Operations)");
    await page.waitFor("main ol button");
    await examineStep("invited-2-member");
    await cleo.press("Turn on notifications on this device");
    await page.tab.waitForSelector(NOTIFICATIONS_ON, { timeout: SUBSCRIBE_MAX_MS });
    await examineStep("invited-3-on");
    const actionCount = cleo.actionCount + BROWSER_PROMPTS;
    assert.ok(actionCount <= ACTIONS_MAX, `${actionCount} actions`);
    t.diagnostic(`${actionCount} actions`);

    const sender = createClient({ baseUrl: fixture.url, apiKey: team.key });
    const { notificationId } = await sender.notify({ title: "Deploy at 5", body: "All hands" });
    const shownNotifications = await page.waitForNotification(notificationId ?? "");
    assert.deepEqual(
      shownNotifications.map(({ title }) => title),
      ["Deploy at 5"],
    );
    assert.deepEqual(page.consoleErrors, []);
  });
}

test("a rate-limited sign-in says how long to wait", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const page = await browsers.open(`${fixture.url}/sign-in`);
  const { email, password } = CLEO;
  const strangerClient = createClient({ baseUrl: fixture.url });
  for (let attempt = 0; attempt < FAILED_SIGN_INS_MAX; attempt += 1) {
    await assert.rejects(strangerClient.signIn({ email, password }), { status: 401 });
  }
  await page.fillIn({ email, password });
  await page.press("Sign in");
  await page.waitFor('main [role="alert"] ::-p-text(Too many attempts. Try again in)');
  assert.match(await page.waitFor('main [role="alert"]'), /in \d+ (second|minute)s?\./);
});

async function createTeam(page: ConsolePage, name: string): Promise<void> {
  await page.navigate("Teams");
  await page.press("Create a team");
  await page.fillIn({ name });
  await page.press("Create the team");
  await page.waitUntilGone('[role="dialog"]');
}

/** Invites Cleo together with an invalid address, which stays in the field; returns her link. */
async function inviteCleo(page: ConsolePage): Promise<string> {
  await page.press("Invite people");
  const field = page.tab.locator('[role="dialog"] textarea');
  await field.fill(`dan(at)example.org, Cleo <${CLEO.email}>`);
  await page.tab.locator('[role="dialog"] ::-p-aria([name="Invite people"])').click();
  const link = await page.waitFor(`[role="group"][aria-label="Invitation link for ${CLEO.email}"]`);
  await page.waitFor(
    '[role="dialog"] ::-p-text(This is not an email address: dan(at\\)example.org)',
  );
  assert.equal(await readValue(page, "emails"), "dan(at)example.org");
  await page.press("Close");
  return link.trim();
}

/** Resets a forgotten password with the administrator's link, and signs in with the new one. */
async function resetPassword(
  page: ConsolePage,
  { url }: ConsoleFixture,
  createLink: () => Promise<string>,
): Promise<void> {
  await page.tab.goto(`${url}/settings`);
  await page.press("Sign out");
  await page.followLink("Forgot your password?");
  await page.waitFor("main ::-p-text(Ask your administrator for a link)");
  assert.equal(await page.tab.$("main form"), null);
  await page.tab.goto(await createLink());
  await page.fillIn({ newPassword: NEW_PASSWORD });
  await page.press("Set the password");
  await page.followLink("Sign in");
  await page.fillIn({ email: CLEO.email, password: NEW_PASSWORD });
  await page.press("Sign in");
  await page.waitFor(`header ::-p-text(${CLEO.email})`);
}

async function readValue({ tab }: ConsolePage, id: string): Promise<unknown> {
  return tab.$eval(`#${id}`, (element) => ("value" in element ? element.value : null));
}

/** Takes screenshots in every size and colour scheme, and asserts that none breaks a WCAG rule. */
async function inspectAllSizes(page: ConsolePage, name: string): Promise<void> {
  const findings: Finding[] = [];
  for (const size of JOURNEY_SIZES) {
    await resizePage(page, size);
    findings.push(...(await inspectPage(page, { name, size })));
  }
  assert.deepEqual(findings, []);
  await resizePage(page, JOURNEY_SIZES[0]);
}
