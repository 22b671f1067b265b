import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient, type Client, type Notification } from "@tocsin/sdk";
import {
  setUpServer,
  startConsoleFixture,
  BEN,
  type ConsoleFixture,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import { inspectViews, JOURNEY_SIZES, resizePage } from "../support/console-inspection.ts";
import { joinTeamByLink } from "../support/join-team-by-link.ts";
import { expirePrompt } from "../support/expire-prompt.ts";
import { PUSH_BROWSERS, type PushBrowsers } from "../support/push-browsers.ts";

const [DESKTOP, PHONE] = JOURNEY_SIZES;
const PROMPT = {
  title: "Deploy 1.4.2?",
  body: "All tests are green. The database has a migration of 20 seconds.",
  channel: "deploy",
  choices: ["yes", "no"],
} as const satisfies Notification;

/** Starts a server with a team of Ann and Ben, each in their own browser, and a sender with the team's key. */
async function startTeam(t: TestContext, browsers: PushBrowsers) {
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { id: teamId, key } = await ann.client.teams.create({ name: "Operations" });
  const team = { owner: ann, teamId, teamName: "Operations", url: fixture.url };
  const ben = await joinTeamByLink(browsers, team, BEN);
  await ben.page.waitFor("[data-live=true]");
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  return { fixture, ann, ben, sender };
}

async function ask(sender: Client, fields: Partial<Notification> = {}): Promise<string> {
  const { promptId } = await sender.notifyAsync({ ...PROMPT, ...fields });
  return promptId ?? assert.fail("The send has no prompt.");
}

/** Opens the page of a prompt's notification, as a tap on its push does. */
async function openPrompt({ page, client }: ConsoleUser, { url }: ConsoleFixture, id: string) {
  const { items } = await client.feed.list();
  const item = items.find(({ promptId }) => promptId === id) ?? assert.fail();
  await page.tab.goto(`${url}/n/${item.id}`);
  await page.waitFor(`[data-opened-notification="${item.id}"] [data-prompt="${id}"]`);
}

for (const [browserName, startBrowsers] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: one person answers in the feed, and another person sees who did`, async (t) => {
    const { ann, ben, sender } = await startTeam(t, await startBrowsers(t));
    const id = await ask(sender);
    for (const { page } of [ann, ben])
      await page.waitFor("article ::-p-text(Nobody has answered yet)");
    await ben.page.press("yes");
    for (const { page } of [ben, ann])
      await page.waitFor("article ::-p-text(Answered by Ben: yes)");
    for (const { page } of [ben, ann]) await page.waitUntilGone("article [role=group]");
    const { answer } = await sender.askedPrompts.get(id);
    assert.deepEqual([answer?.choice, answer?.name, answer?.via], ["yes", "Ben", "console"]);
    for (const { page } of [ann, ben]) assert.deepEqual(page.consoleErrors, []);
  });
}

test("a text answers an emergency prompt on a phone, after the connection was lost", async (t) => {
  const { fixture, ann, ben, sender } = await startTeam(t, await PUSH_BROWSERS.Chromium(t));
  const { page } = ben;
  await resizePage(page, PHONE);
  const id = await ask(sender, {
    title: "What shall we tell the customers?",
    priority: "emergency",
    allowText: true,
    choices: null,
  });
  for (const one of [ann, ben]) await one.page.waitFor("nav ::-p-text(1 emergency is ringing)");
  await openPrompt(ben, fixture, id);
  await page.waitFor("[data-opened-notification] ::-p-text(It rings until somebody answers.)");
  const field = page.find("[data-opened-notification] textarea");
  await field.click();
  await page.tab.keyboard.sendCharacter("x".repeat(1_001));
  await page.waitFor("[data-opened-notification] ::-p-text(1 character too many)");
  await field.fill("We know, and are at it.");
  await page.tab.setOfflineMode(true);
  await page.press("Send");
  await page.waitFor("[data-opened-notification] [role=alert] ::-p-text(You are offline)");
  const typed: unknown = await page.tab.$eval(
    "[data-opened-notification] textarea",
    ({ value }) => value,
  );
  assert.equal(typed, "We know, and are at it.");
  await page.tab.setOfflineMode(false);
  await field.click();
  await page.tab.keyboard.press("Enter");
  for (const one of [ben, ann])
    await one.page.waitFor("::-p-text(Answered by Ben: We know, and are at it.)");
  for (const one of [ben, ann]) await one.page.waitUntilGone("nav ::-p-text(is ringing)");
  const focused: unknown = await page.tab.evaluate(
    "document.activeElement.closest('[data-prompt]') !== null",
  );
  assert.equal(focused, true);
  assert.deepEqual(ann.page.consoleErrors, []);
});

test("a prompt that needs two equal answers stays open until it has them, and an answer may change", async (t) => {
  const { fixture, ann, ben, sender } = await startTeam(t, await PUSH_BROWSERS.Chromium(t));
  const id = await ask(sender, { choices: ["now", "tonight", "never"], answersNeeded: 2 });
  await ann.page.waitFor("article ::-p-text(0 of 2 equal answers)");
  await ann.page.press("never");
  await ben.page.waitFor("article ::-p-text(1 of 2 equal answers · never: 1)");
  await ann.page.waitFor('article button[aria-pressed="true"] ::-p-text(never)');
  await openPrompt(ben, fixture, id);
  await ben.page.press("tonight");
  await ben.page.waitFor("[data-opened-notification] ::-p-text(Your answer: tonight.)");
  await inspectViews(ann.page, {
    views: [{ name: "prompt-agreement", path: "/", waitFor: "article ::-p-text(tonight: 1)" }],
  });
  await resizePage(ann.page, DESKTOP);
  await ann.page.press("tonight");
  for (const { page } of [ann, ben])
    await page.waitFor("::-p-text(Answered by Ann and Ben: tonight)");
  await ben.page.waitFor('[data-opened-notification] [aria-label="Answers"] ::-p-text(Ann)');
  for (const { page } of [ann, ben]) assert.deepEqual(page.consoleErrors, []);
});

test("a page whose answer comes too late says who answered", async (t) => {
  const { ann, ben, sender } = await startTeam(t, await PUSH_BROWSERS.Chromium(t));
  const { page } = ann;
  // Without the live stream, the page keeps showing the open prompt.
  const devTools = await page.tab.createCDPSession();
  await devTools.send("Network.enable");
  await devTools.send("Network.setBlockedURLs", {
    urlPatterns: [{ urlPattern: "*://*:*/api/app/v1/live", block: true }],
  });
  const id = await ask(sender);
  await page.tab.reload();
  await page.waitFor("article ::-p-text(Nobody has answered yet)");
  await ben.client.prompts.answer(id, { choice: "no" });
  await page.press("yes");
  await page.waitFor("::-p-text(Already answered by Ben: no)");
  await page.waitFor("article ::-p-text(Answered by Ben: no)");
  await page.waitUntilGone("article [role=group]");
});

test("the incidents page lists open prompts, whose buttons disappear when they end", async (t) => {
  const { fixture, ann, ben, sender } = await startTeam(t, await PUSH_BROWSERS.Chromium(t));
  await ben.page.tab.goto(`${fixture.url}/incidents`);
  await ben.page.waitFor("main ::-p-text(Nothing is open)");
  const expiring = await ask(sender, { title: "Restart the router?", priority: "emergency" });
  const cancelled = await ask(sender, { title: "Renew the certificate?" });
  await ben.page.waitFor(`main li[data-id="${cancelled}"] ::-p-text(Nobody has answered yet)`);
  await inspectViews(ben.page, {
    views: [
      {
        name: "incidents-prompts",
        path: "/incidents",
        waitFor: `li[data-id="${expiring}"] button`,
      },
    ],
  });
  await expirePrompt(fixture.app.context, expiring);
  await sender.askedPrompts.cancel(cancelled);
  await ann.page.waitFor("article ::-p-text(The sender has withdrawn the question)");
  await ann.page.waitFor("article ::-p-text(Nobody answered in time)");
  for (const { page } of [ann, ben]) await page.waitUntilGone("main [role=group]");
  await ben.page.waitFor("main ::-p-text(Nothing is open)");
  await ben.page.waitUntilGone("nav ::-p-text(is ringing)");
  for (const { page } of [ann, ben]) assert.deepEqual(page.consoleErrors, []);
});

test("the Send page sends a prompt, and shows its answer at once", async (t) => {
  const { ann, ben } = await startTeam(t, await PUSH_BROWSERS.Chromium(t));
  const { page } = ann;
  await page.navigate("Send");
  await page.tab.locator("main input[aria-haspopup='listbox']").click();
  await page.tab.locator("[role=option] ::-p-text(Operations)").click();
  await page.tab.locator('main input[name="title"]').fill("Lunch at noon?");
  await page.tab.locator("summary ::-p-text(Ask a question)").click();
  const choices = page.tab.locator('main textarea[name="choices"]');
  await choices.fill("yes, of course");
  await page.press("Send");
  await page.waitFor("main ::-p-text(choices must be a list of 2 to 6 texts)");
  await choices.fill("yes, of course\nno");
  await page.press("Send");
  await page.waitFor("main [data-prompt] ::-p-text(Nobody has answered yet)");
  await ben.page.waitFor("article ::-p-text(Lunch at noon?)");
  await ben.page.press("yes, of course");
  await page.waitFor("main [data-prompt] ::-p-text(Answered by Ben: yes, of course)");
  const [askedPrompt] = (await ann.client.prompts.list()).items;
  assert.deepEqual(askedPrompt?.choices, ["yes, of course", "no"]);
});
