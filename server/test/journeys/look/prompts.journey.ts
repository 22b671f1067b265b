import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Notification } from "@tocsin/sdk";
import { inspectViews } from "../../support/console-inspection.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { expirePrompt } from "../../support/expire-prompt.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

const PROMPT = {
  title: "Deploy 1.4.2?",
  body: "All tests are green. The database has a migration of 20 seconds.",
  channel: "deploy",
  choices: ["yes", "no"],
} as const satisfies Notification;

/** As many choices as a prompt may have, all but the last as long as allowed. */
const LONG_CHOICES = [
  "Roll back to the version of last Tuesday",
  "Wait until the backup of db-1 is through",
  "Ask the people of the operations team at",
  "Donaudampfschifffahrtsgesellschaftskapit",
  "Restart all nodes one after the other...",
  "Do nothing",
];

test("prompts meet WCAG 2.2 A and AA in the feed and on their pages, in every state", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const { key } = await client.teams.create({ name: "Operations" });
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  const ask = async (fields: Partial<Notification>) => {
    const { promptId, notificationId } = await sender.notifyAsync({ ...PROMPT, ...fields });
    return { promptId: promptId ?? assert.fail(), id: notificationId ?? assert.fail() };
  };
  const expired = await ask({ title: "Renew the certificate?", answersNeeded: 2 });
  await expirePrompt(fixture.app.context, expired.promptId);
  const withdrawn = await ask({ title: "Restart the router?" });
  await sender.askedPrompts.cancel(withdrawn.promptId);
  const answered = await ask({ title: "Which version?", choices: null, allowText: true });
  await client.prompts.answer(answered.promptId, { text: `1.4.2, ${"as agreed, ".repeat(30)}` });
  const agreeing = await ask({ title: "Who comes to lunch?", answersNeeded: 3 });
  await client.prompts.answer(agreeing.promptId, { choice: "yes" });
  const longChoicesPrompt = await ask({
    title: "What now?",
    choices: LONG_CHOICES,
    allowText: true,
  });
  const ringing = await ask({ priority: "emergency", allowText: true });
  const waitFor = (text: string) => `[data-opened-notification] ::-p-text(${text})`;
  const field = "[data-opened-notification] textarea";
  await inspectViews(page, {
    views: [
      { name: "prompts-feed", path: "/", waitFor: "article ::-p-text(Nobody has answered yet)" },
      { name: "prompt", path: `/n/${ringing.id}`, waitFor: waitFor("It rings until") },
      { name: "prompt-long", path: `/n/${longChoicesPrompt.id}`, waitFor: waitFor("Do nothing") },
      { name: "prompt-votes", path: `/n/${agreeing.id}`, waitFor: waitFor("1 of 3 equal answers") },
      { name: "prompt-answered", path: `/n/${answered.id}`, waitFor: waitFor("answered") },
      { name: "prompt-withdrawn", path: `/n/${withdrawn.id}`, waitFor: waitFor("withdrawn") },
      { name: "prompt-expired", path: `/n/${expired.id}`, waitFor: waitFor("expired") },
      {
        name: "prompt-too-long",
        path: `/n/${ringing.id}`,
        waitFor: field,
        prepare: async (opened) => {
          await opened.find(field).click();
          await opened.tab.keyboard.sendCharacter("x ".repeat(501));
          await opened.waitFor(waitFor("2 characters too many"));
        },
      },
    ],
  });
});

test("the prompt inputs of the Send page meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  await inspectViews(page, {
    views: [
      {
        name: "send-prompt",
        path: "/send",
        waitFor: "main summary",
        prepare: async (opened) => {
          // In the draft left by the previous size, the inputs of the prompt are open already.
          await opened.tab.evaluate("sessionStorage.clear()");
          await opened.tab.reload();
          await opened.find("summary ::-p-text(Ask a question)").click();
          await opened.find('main input[name="title"]').fill("Deploy 1.4.2?");
          const choices = opened.find('main textarea[name="choices"]');
          await choices.fill("yes\nno");
          await opened.waitFor("main ::-p-text(People who must give the same choice)");
          await opened.press("Send");
          await opened.waitFor("main [data-prompt] ::-p-text(Nobody has answered yet)");
        },
      },
    ],
  });
});
