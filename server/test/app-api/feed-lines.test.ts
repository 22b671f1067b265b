import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency", incidentKey: "disk" } as const;

test("the id of a replaced line returns the current line, if the person may see it", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const eve = await signUp(app, "Eve");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  const benId = await addMember(ann, teamId, ben);
  const sent = await ann.withKey(key).notify(ALARM);
  const id = sent.notificationId ?? assert.fail();
  assert.equal((await ben.client.feed.get(id)).id, id);
  await ann.withKey(key).notify({ ...ALARM, title: "Disk fuller" });
  const [fuller] = (await ben.client.feed.list()).items;
  assert.deepEqual([fuller?.title, fuller?.incidentId], ["Disk fuller", sent.incidentId]);
  assert.deepEqual(await ben.client.feed.get(id), fuller);

  const missing = { status: 404, code: "not_found" };
  await assert.rejects(eve.client.feed.get(id), missing);
  await ann.client.teams.removeMember(teamId, benId);
  await ann.withKey(key).notify({ ...ALARM, title: "Disk mended", incidentEvent: "resolve" });
  await assert.rejects(ben.client.feed.get(id), missing);
  const mended = await ann.client.feed.get(id);
  assert.equal(mended.title, "Disk mended");
  await ann.client.feed.remove(mended.id);
  await assert.rejects(ann.client.feed.get(id), missing);
});

test("the id of a push about an answer returns the prompt's line in the feed", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const eve = await signUp(app, "Eve");
  const { phone } = await addDevice(app, ann);
  const prompt = { title: "Deploy?", body: "", choices: ["yes", "no"] };
  const sent = await ann.client.notify(prompt);
  const promptId = sent.promptId ?? assert.fail();
  await ann.client.prompts.answer(promptId, { choice: "yes" });
  await phone.waitForRequests(2);
  const rows = await app.app.context.database.db
    .selectFrom("notification")
    .select("id")
    .where("prompt_id", "=", promptId)
    .orderBy("id")
    .execute();
  const [promptLineId, answerPushId = assert.fail()] = rows.map(({ id }) => id);
  assert.equal(promptLineId, sent.notificationId);
  assert.equal((await ann.client.feed.get(answerPushId)).id, promptLineId);
  await assert.rejects(eve.client.feed.get(answerPushId), { status: 404, code: "not_found" });
});
