import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import type { MailServer } from "../doubles/mail-server.ts";
import { addDevice } from "../support/app.ts";
import type { ConsolePage, ShownNotification } from "../support/console-page.ts";
import {
  ANN,
  BEN,
  joinTeam,
  sendNotifications,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
} from "../support/console-fixture.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the console creates a team, invites a member by email, and removes the member again", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const { mail, environment } = await startMailServer(t);
  const fixture = await startConsoleFixture(t, browsers, environment);
  const ann = await setUpServer(fixture, browsers);
  const { page } = ann;
  await page.navigate("Teams");
  await page.press("Create a team");
  await page.fillIn({ name: "Operations" });
  await page.press("Create the team");
  const key = await page.waitFor('[role="group"][aria-label="API key"]');
  await page.waitUntilGone('[role="dialog"]');

  await invite(page, BEN.email);
  const link = await findMailedLink(mail, BEN.email);
  const benPage = await browsers.open(link);
  await benPage.waitFor("h1 ::-p-text(Ann invites you to Operations)");
  const emailField = await benPage.tab.locator("#email[readonly]").waitHandle();
  assert.equal(await (await emailField.getProperty("value")).jsonValue(), BEN.email);
  const joining = { url: fixture.url, applicant: BEN, teamName: "Operations" };
  const ben = await joinTeam(benPage, joining);
  await turnOnNotifications(ben);

  const team = createClient({ baseUrl: fixture.url, apiKey: key });
  const sendResponse = await team.notify({ title: "Deploy at 5", body: "All hands" });
  assert.match(sendResponse.message, /Delivered to 1 of 1/);
  const shownNotifications = await benPage.waitForNotification(sendResponse.notificationId ?? "");
  assert.deepEqual(listTitles(shownNotifications), ["Deploy at 5"]);

  await page.tab.reload();
  await page.tab.locator(`[aria-label="Actions for ${BEN.name}"]`).wait();
  // Accounts cannot change or remove themselves in this list.
  assert.deepEqual(await listMemberRows(page), [
    { name: ANN.name, isYou: true, hasActions: false },
    { name: BEN.name, isYou: false, hasActions: true },
  ]);
  await page.press(`Actions for ${BEN.name}`);
  await page.press("Remove from the team");
  await page.waitFor('[role="dialog"]');
  await page.tab
    .locator('[role="dialog"] ::-p-aria([name="Remove from the team"][role="button"])')
    .click();
  await page.waitUntilGone(`main li ::-p-text(${BEN.email})`);
  const sendAfterRemoval = await team.notify({ title: "Deploy at 6", body: "" });
  assert.deepEqual(sendAfterRemoval.responses, []);
  // Ben's own notification arrives later: a push of the team's would have arrived before it.
  const ownId = await sendNotifications(fixture, ben, [{ title: "Ben's backup", body: "" }]);
  assert.deepEqual(listTitles(await benPage.waitForNotification(ownId)).toSorted(), [
    "Ben's backup",
    "Deploy at 5",
  ]);
  const feed = await ben.client.feed.list();
  assert.deepEqual(
    feed.items.map(({ title }) => title),
    ["Ben's backup", "Deploy at 5"],
  );
  assert.deepEqual(page.consoleErrors, []);
  assert.deepEqual(benPage.consoleErrors, []);
});

test("a person signed in with another address continues with the invited one", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const { id } = await client.teams.create({ name: "Operations" });
  const { link } = await client.teams.invite(id, { email: BEN.email });
  await page.tab.goto(link);
  await page.waitFor(`main ::-p-text(You are signed in as ${ANN.email})`);
  await page.press("Sign out and continue");
  await page.waitFor("h1 ::-p-text(Ann invites you to Operations)");
  await page.fillIn({ password: BEN.password });
  await page.press("Create the account and join");
  await page.waitFor("h1 ::-p-text(You are a member of Operations)");
  await page.tab.goto(link);
  await page.waitFor("h1 ::-p-text(You are a member of Operations)");
  await page.followLink("Go to your teams");
  await page.waitFor("main li ::-p-text(Operations)");
  assert.deepEqual(page.consoleErrors, []);

  const strangerPage = await browsers.open(link);
  await strangerPage.waitFor("main ::-p-text(no longer works)");
  assert.deepEqual(
    strangerPage.consoleErrors.filter((error) => !/404/.test(error)),
    [],
  );
});

test("an emailed link unsubscribes from invitation emails, and resubscribes, without an account", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const { mail, environment } = await startMailServer(t);
  const fixture = await startConsoleFixture(t, browsers, environment);
  const { client } = await setUpServer(fixture, browsers);
  const inviteBen = async (name: string) => {
    const { id } = await client.teams.create({ name });
    return (await client.teams.invite(id, { email: BEN.email })).mail;
  };
  assert.equal(await inviteBen("Operations"), "queued");
  const link = await findMailedLink(mail, BEN.email);
  const ben = await browsers.open(link);
  await ben.waitFor("h1 ::-p-text(Ann invites you to Operations)");
  assert.equal(await inviteBen("Opened, and not pressed"), "queued");
  await ben.press("No more invitation emails");
  await ben.waitFor(
    `main [role="status"] ::-p-text(This server sends no more invitation emails to ${BEN.email})`,
  );
  assert.equal(await inviteBen("Night shift"), "recent");
  const laterPage = await browsers.open(link);
  await laterPage.press("Allow them again");
  await laterPage.waitFor("main ::-p-text(No more invitation emails)");
  assert.equal(await inviteBen("Day shift"), "queued");
  assert.deepEqual([...ben.consoleErrors, ...laterPage.consoleErrors], []);
});

/** Returns the members that a team page lists, and which one is the current account. */
async function listMemberRows({ tab }: ConsolePage) {
  return tab.$$eval('ul[aria-label="Members"] > li', (rows) =>
    rows.map((row) => {
      const texts = [...row.querySelectorAll("p")].map(({ textContent }) => textContent);
      const hasActions = row.querySelector("button") !== null;
      return { name: texts[0], isYou: texts.includes("you"), hasActions };
    }),
  );
}

async function invite(page: ConsolePage, email: string): Promise<void> {
  await page.press("Invite people");
  await page.tab.locator('[role="dialog"] textarea').fill(`Ben <${email}>`);
  await page.tab.locator('[role="dialog"] ::-p-aria([name="Invite people"])').click();
  await page.waitFor('[role="dialog"] ::-p-text(an email is on its way)');
  await page.press("Close");
}

async function findMailedLink(mail: MailServer, to: string): Promise<string> {
  const received = await mail.waitForMails(1);
  const invitation = received.find((item) => item.to.includes(to));
  return (
    /https?:\S+\/invitation#token=\S+/.exec(invitation?.text ?? "")?.[0] ?? assert.fail("no link")
  );
}

function listTitles(notifications: readonly ShownNotification[]): readonly string[] {
  return notifications.map(({ title }) => title);
}

test("a group created in the console reaches only its devices", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  const desk = await addDevice({ push: fixture.push }, ann, "Desk");
  const bedside = await addDevice({ push: fixture.push }, ann, "Bedside");
  await page.navigate("Groups");
  await page.press("Create a group");
  await page.tab.locator('::-p-aria([name="Name"][role="textbox"])').fill("At work");
  await page.tab.locator('::-p-aria([name="Desk"][role="checkbox"])').click();
  await page.press("Create the group");
  await page.waitFor("main li ::-p-text(At work)");
  await page.waitUntilGone('[role="dialog"]');
  await page.press("Actions for At work");
  await page.waitFor('[role="menu"]');
  assert.equal(await page.tab.evaluate(OPEN_MENUS_AFTER_CHOICE), 0, "a menu covers the dialog");
  const id = await page.waitFor('[role="group"][aria-label="Group ID"]');
  const { key } = await client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  await sender.notifyGroup(id, { title: "Meeting", body: "" });
  await desk.phone.waitForRequests(1);
  assert.equal(bedside.phone.requests.length, 0);

  // The notices about both new devices also have a Close button.
  await page.tab.locator('[role="dialog"] ::-p-aria([name="Close"][role="button"])').click();
  await page.waitUntilGone('[role="dialog"]');
  await page.press("Actions for At work");
  await page.press("Delete");
  await page.waitFor('[role="dialog"]');
  await page.tab.locator('[role="dialog"] ::-p-aria([name="Delete"][role="button"])').click();
  await page.waitFor("main ::-p-text(No group yet)");
  assert.deepEqual(page.consoleErrors, []);
});

/** Chooses “Use in a script” in the open menu; resolves with the number of menus still open two frames later. */
const OPEN_MENUS_AFTER_CHOICE = `new Promise((resolve) => {
  const items = [...document.querySelectorAll('[role="menuitem"]')];
  items.find((item) => item.textContent === "Use in a script").click();
  const count = () => resolve(document.querySelectorAll('[role="menu"]').length);
  requestAnimationFrame(() => requestAnimationFrame(count));
})`;
