import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { removeIncidentsOfEndedTeams } from "#incidents/store/removal.ts";
import { signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency", incidentKey: "disk" } as const;
const NOTE = "giraffe in the server room";

/** Opens a team's incident, which Ben acknowledges with a note. */
async function acknowledgeByMember(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, teamId, ben);
  const { incidentId = "" } = await ann.withKey(key).notify(ALARM);
  await ben.client.incidents.acknowledge(incidentId, { note: NOTE });
  return { app, ann, ben, teamId, key, incidentId };
}

test("the answers of a deleted account stay in its teams' prompts, without its name and its texts", async (t) => {
  const { app, ann, ben, key } = await acknowledgeByMember(t);
  const sender = ann.withKey(key);
  const ask = async (fields: object) => {
    const prompt = { title: "Deploy?", body: "", choices: ["yes", "no"], allowText: true };
    return (await sender.notify({ ...prompt, ...fields })).promptId ?? "";
  };
  const textPromptId = await ask({});
  const votePromptId = await ask({ answersNeeded: 2 });
  await ben.client.prompts.answer(textPromptId, { text: NOTE });
  await ben.client.prompts.answer(votePromptId, { choice: "no" });
  await ben.client.profile.delete({ password: "password of Ben" });
  const { answer, answers, state } = await sender.askedPrompts.get(textPromptId);
  assert.deepEqual([state, answer?.name, answers.length], ["answered", null, 1]);
  assert.deepEqual(answer?.text, "(erased with the account)");
  const [vote] = (await sender.askedPrompts.get(votePromptId)).answers;
  assert.deepEqual([vote?.choice, vote?.name], ["no", null]);
  const { db } = app.app.context.database;
  const rows = [
    await db.selectFrom("prompt").selectAll().execute(),
    await db.selectFrom("prompt_answer").selectAll().execute(),
  ];
  assert.ok(!JSON.stringify(rows).includes(NOTE));
});

async function readExport({ client }: TestPerson) {
  return Object(await new Response(await client.profile.export()).json());
}

/** Returns the kinds of stored timers, and the ids of the stored incidents. */
async function readRows({ app }: TestApp) {
  const { db } = app.context.database;
  const timers = await db.selectFrom("timer").select("kind").execute();
  const incidents = await db.selectFrom("incident").select("id").execute();
  return { timers: timers.map(({ kind }) => kind), incidents: incidents.map(({ id }) => id) };
}

test("an export contains the incidents' histories, and the account's own notes even after it left the team", async (t) => {
  const { ben, teamId, incidentId } = await acknowledgeByMember(t);
  const { incidents, incidentActs } = await readExport(ben);
  const { history } = await ben.client.incidents.get(incidentId);
  assert.equal(incidents.length, 1);
  assert.deepEqual(incidents[0].history, history);
  assert.ok(history.some(({ detail }) => detail["note"] === NOTE));
  await ben.client.teams.leave(teamId);
  const later = await readExport(ben);
  assert.deepEqual(later.incidents, []);
  assert.deepEqual(later.incidentActs, incidentActs);
  assert.deepEqual(
    incidentActs.map(({ kind, note }: { kind: string; note: string }) => [kind, note]),
    [["acknowledged", NOTE]],
  );
});

test("the acts of a deleted account stay in its teams' histories, without its name and its notes", async (t) => {
  const { app, ann, ben, incidentId } = await acknowledgeByMember(t);
  const before = await ann.client.incidents.get(incidentId);
  await ben.client.profile.delete({ password: "password of Ben" });
  const { history, acknowledgement } = await ann.client.incidents.get(incidentId);
  assert.deepEqual(
    history.map(({ id, kind }) => [id, kind]),
    before.history.map(({ id, kind }) => [id, kind]),
  );
  const entry = history.find(({ kind }) => kind === "acknowledged");
  assert.deepEqual([entry?.act?.name, entry?.act?.via, entry?.detail], [null, "api", {}]);
  assert.equal(acknowledgement?.name, null);
  const { db } = app.app.context.database;
  const events = JSON.stringify(await db.selectFrom("incident_event").selectAll().execute());
  for (const trace of ["giraffe", '"Ben', "ben@example.org"])
    assert.ok(!events.includes(trace), trace);
});

test("deleting a team removes its open incidents at once, and its other incidents later", async (t) => {
  const { app, ann, ben, teamId, key, incidentId } = await acknowledgeByMember(t);
  await ann.client.incidents.resolve(incidentId);
  const openTeamAlarm = await ann.withKey(key).notify({ ...ALARM, autoResolveAfter: 3_600 });
  const ownAlarm = await ben.client.notify(ALARM);
  await ann.client.teams.remove(teamId);
  const rows = await readRows(app);
  assert.deepEqual(new Set(rows.incidents), new Set([incidentId, ownAlarm.incidentId]));
  assert.ok(!rows.incidents.includes(openTeamAlarm.incidentId ?? ""));
  assert.deepEqual(new Set(rows.timers), new Set(["expire", "ring"]));
  assert.equal(await removeIncidentsOfEndedTeams(app.app.context, 10), 1);
  assert.deepEqual((await readRows(app)).incidents, [ownAlarm.incidentId]);
  assert.deepEqual((await ann.client.incidents.list()).items, []);
  assert.ok((await ann.client.feed.list()).items.some(({ title }) => title.includes("Disk full")));
});
