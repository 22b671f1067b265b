import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { addDevice } from "../support/app.ts";
import { setUp, signUp, startStage, turnOn } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const BEN = { name: "Ben", email: "ben@example.org", password: "password of Ben" };

test("a team is made, somebody invited, told, and removed again, all in the console", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page } = ann;
  await page.go("Teams");
  await page.press("Make a team");
  await page.fillIn({ name: "Operations" });
  await page.press("Make the team");
  const key = await page.see('[role="group"][aria-label="API key"]');
  await page.miss('[role="dialog"]');

  await page.press("Invite people");
  await page.page.locator('[role="dialog"] textarea').fill(`Ben <${BEN.email}>`);
  await page.page.locator('[role="dialog"] ::-p-aria([name="Invite people"])').click();
  const link = await page.see(`[role="group"][aria-label="Invitation link for ${BEN.email}"]`);
  await page.press("Close");

  const benPage = await browsers.open(link);
  const ben = await signUp(benPage, { url: stage.url, applicant: BEN });
  await benPage.press("Accept the invitation");
  await benPage.see("main ::-p-text(Operations)");
  await benPage.follow("Go to Tocsin");
  await turnOn(ben);

  const team = createClient({ baseUrl: stage.url, apiKey: key });
  const sent = await team.notify({ title: "Deploy at 5", body: "All hands" });
  assert.match(sent.message, /Delivered to 1 of 1/);
  const shown = await benPage.shown(sent.notificationId ?? "");
  assert.equal(shown[0]?.title, "Deploy at 5");

  await page.page.reload();
  await page.press(`Actions for ${BEN.name}`);
  await page.press("Remove from the team");
  await page.see('[role="dialog"]');
  await page.page
    .locator('[role="dialog"] ::-p-aria([name="Remove from the team"][role="button"])')
    .click();
  await page.miss(`main li ::-p-text(${BEN.email})`);
  const after = await team.notify({ title: "Deploy at 6", body: "" });
  assert.deepEqual(after.responses, []);
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(benPage.complaints, []);
});

test("a group is made of some devices, and reaches these alone", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  const desk = await addDevice({ push: stage.push }, ann, "Desk");
  const bed = await addDevice({ push: stage.push }, ann, "Bedside");
  await page.go("Groups");
  await page.press("Make a group");
  await page.page.locator('::-p-aria([name="Name"][role="textbox"])').fill("At work");
  await page.page.locator('::-p-aria([name="Desk"][role="checkbox"])').click();
  await page.press("Make the group");
  await page.see("main li ::-p-text(At work)");
  await page.miss('[role="dialog"]');
  await page.press("Actions for At work");
  await page.press("Use it in a script");
  const id = await page.see('[role="group"][aria-label="Group id"]');
  const { key } = await client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: stage.url, apiKey: key });
  await sender.notifyGroup(id, { title: "Meeting", body: "" });
  await desk.phone.received(1);
  assert.equal(bed.phone.judged.length, 0);

  await page.press("Close");
  await page.miss('[role="dialog"]');
  await page.press("Actions for At work");
  await page.press("Delete");
  await page.see('[role="dialog"]');
  await page.page.locator('[role="dialog"] ::-p-aria([name="Delete"][role="button"])').click();
  await page.see("main ::-p-text(No group yet)");
  assert.deepEqual(page.complaints, []);
});
