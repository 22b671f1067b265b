import assert from "node:assert/strict";
import test from "node:test";
import type { Notification, PromptReceipt } from "@tocsin/sdk";
import type { DesktopPress } from "../doubles/desktop.ts";
import { BROWSERS_ON_DESKTOPS } from "../support/push-browsers.ts";
import { createTeamSender, setUpTeam, waitForReplacement } from "../support/team-fixture.ts";

const TITLE = "Deploy 1.4.2?";
const PROMPT = { title: TITLE, body: "All tests have passed.", choices: ["yes", "no"] };
const NO_CONNECTION = "Not answered: no connection. Tap to try again.";

for (const [browserName, startBrowsers] of Object.entries(BROWSERS_ON_DESKTOPS)) {
  test(`in ${browserName}, a button answers without an open page or a session, and other members see who answered`, async (t) => {
    const team = await setUpTeam(t, { startBrowsers });
    const { browsers, ann, ben } = team;
    const { sender } = await createTeamSender(team);
    const { promptId = "" } = await sender.notify(PROMPT);
    for (const { page } of [ann, ben]) await page.waitForNotification(promptId);
    await ann.page.leave();
    await ann.client.sessions.endOthers();
    await browsers.pressButton(ann.page, { title: TITLE, button: "no" });

    const receipt = await sender.askedPrompts.get(promptId, { waitSeconds: 30 });
    assert.deepEqual(summarize(receipt), ["answered", "no", null, "Ann", "button"]);
    const [device] = (await ann.client.devices.list()).items;
    assert.equal(receipt.answer?.deviceName, device?.name);
    const replacement = { tag: promptId, title: "Ann answered: no", body: TITLE };
    await waitForReplacement(browsers, ben.page, replacement);
    await ann.page.tab.goto(team.fixture.url);
    await waitForReplacement(browsers, ann.page, replacement);
  });

  test(`in ${browserName}, the notification says that an answer counts, or who answered first`, async (t) => {
    const team = await setUpTeam(t, { startBrowsers });
    const { browsers, ann, ben } = team;
    const { sender } = await createTeamSender(team);
    const { promptId = "" } = await sender.notify({ ...PROMPT, answersNeeded: 2 });
    for (const { page } of [ann, ben]) await page.waitForNotification(promptId);
    await browsers.pressButton(ann.page, { title: TITLE, button: "yes" });
    const body = "Your answer counts. 1 person has answered; 2 must agree.";
    await waitForReplacement(browsers, ann.page, { tag: promptId, title: TITLE, body });

    const { promptId: laterId = "" } = await sender.notify({ ...PROMPT, title: "Restart?" });
    for (const { page } of [ann, ben]) await page.waitForNotification(laterId);
    // A paused device gets no push about the answer, so it still shows the prompt.
    const [device] = (await ben.client.devices.list()).items;
    await ben.client.devices.update(device?.id ?? "", { paused: true });
    await browsers.pressButton(ann.page, { title: "Restart?", button: "yes" });
    await waitForReplacement(browsers, ann.page, { tag: laterId, title: "Ann answered: yes" });
    await browsers.pressButton(ben.page, { title: "Restart?", button: "no" });
    const first = "Ann answered first, at ";
    await waitForReplacement(browsers, ben.page, { tag: laterId, title: "Restart?", body: first });
    const receipt = await sender.askedPrompts.get(laterId);
    assert.deepEqual(summarize(receipt), ["answered", "yes", null, "Ann", "button"]);
  });

  test(`in ${browserName}, an answer without a connection is kept until a tap tries it again`, async (t) => {
    const team = await setUpTeam(t, { startBrowsers });
    const { fixture, browsers, ann } = team;
    const { sender } = await createTeamSender(team);
    const { prompt, press, body, answer, suffix } = KEPT_ANSWERS[browserName] ?? assert.fail();
    const { promptId = "" } = await sender.notify(prompt);
    await ann.page.waitForNotification(promptId);
    await fixture.restart(async () => {
      await browsers.pressButton(ann.page, press);
      await waitForReplacement(browsers, ann.page, {
        tag: `${promptId}${suffix}`,
        title: TITLE,
        body,
      });
    });
    assert.equal((await sender.askedPrompts.get(promptId)).state, "open");
    await browsers.pressButton(ann.page, { title: TITLE, body: NO_CONNECTION, button: null });
    const receipt = await sender.askedPrompts.get(promptId, { waitSeconds: 30 });
    assert.deepEqual(summarize(receipt), ["answered", ...answer, "Ann", "button"]);
    const title = `Ann answered: ${answer[0] ?? answer[1]}`;
    await waitForReplacement(browsers, ann.page, { tag: promptId, title, body: TITLE });
  });
}

interface KeptAnswer {
  readonly prompt: Notification;
  readonly press: DesktopPress;
  /** The body of the report that keeps the answer. */
  readonly body: string;
  /** The end of the report's tag. A typed text has its own tag, so that no push about the prompt replaces it. */
  readonly suffix: string;
  readonly answer: readonly [choice: string | null, text: string | null];
}

const OWN_TEXT = "Only after the backup";

/** An answer in each browser: only Chromium has buttons that take a text. */
const KEPT_ANSWERS: Readonly<Record<string, KeptAnswer>> = {
  Firefox: {
    prompt: PROMPT,
    press: { title: TITLE, button: "no" },
    body: NO_CONNECTION,
    suffix: "",
    answer: ["no", null],
  },
  Chromium: {
    prompt: { title: TITLE, body: "All tests have passed.", allowText: true },
    press: { title: TITLE, button: "Answer", reply: OWN_TEXT },
    body: `${NO_CONNECTION}\n${OWN_TEXT}`,
    suffix: ":text",
    answer: [null, OWN_TEXT],
  },
};

/** Returns the state, the answer, who gave it, and by what means. */
function summarize({ state, answer }: PromptReceipt): readonly (string | null | undefined)[] {
  return [state, answer?.choice, answer?.text, answer?.name, answer?.via];
}

for (const [browserName, startBrowsers] of Object.entries(BROWSERS_ON_DESKTOPS)) {
  test(`in ${browserName}, a prompt with more choices than buttons opens its page`, async (t) => {
    const team = await setUpTeam(t, { startBrowsers });
    const { browsers, ann } = team;
    const { sender } = await createTeamSender(team);
    const choices = ["now", "tonight", "never"];
    const { promptId = "", notificationId } = await sender.notify({ ...PROMPT, choices });
    await ann.page.waitForNotification(promptId);
    await browsers.pressButton(ann.page, { title: TITLE, button: "Answer" });
    await ann.page.tab.waitForFunction(`location.pathname === "/n/${notificationId}"`);
  });
}
