import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { addMember } from "../support/team-members.ts";
import { createAccessToken, followLiveEvents, type FollowedStream } from "./follow-live-events.ts";

const PROMPT = { title: "Deploy?", body: "", choices: ["yes", "no"] };

async function follow(t: TestContext, app: TestApp, person: TestPerson): Promise<FollowedStream> {
  return followLiveEvents(t, app, { accessToken: await createAccessToken(person) });
}

/** Waits for `count` events about prompts; returns the prompt and the state of each. */
async function readPromptStates(stream: FollowedStream, count: number) {
  const list = () =>
    stream.events.flatMap((event) =>
      event.kind === "prompt" ? [`${event.data.promptId} ${event.data.state}`] : [],
    );
  for (let seen = 1; list().length < count; seen += 1) await stream.waitForEvents(seen);
  return list();
}

/** Sends the person a marker; returns the kinds of the events that their stream received before it. */
async function readUntilMarker(person: TestPerson, stream: FollowedStream) {
  await person.client.notify({ title: "Marker", body: "" });
  for (let count = 1; ; count += 1) {
    const events = await stream.waitForEvents(count);
    const end = events.findIndex(
      (event) => event.kind === "notification" && event.data.title === "Marker",
    );
    if (end !== -1) return events.slice(0, end).map(({ kind }) => kind);
  }
}

/**
 * Sends prompts to a team on `app`, before and after Ben leaves the team. Checks the streams that Ben, a member and a
 * stranger open on `streamingApp`.
 */
async function testPromptEvents(
  t: TestContext,
  app: TestApp,
  streamingApp: TestApp,
): Promise<void> {
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const cleo = await signUp(app, "Cleo");
  const eve = await signUp(app, "Eve");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  for (const person of [ben, cleo]) await addMember(ann, teamId, person);
  const sender = ann.withKey(key);
  const { promptId: earlier = "" } = await sender.notify({ ...PROMPT, answersNeeded: 2 });
  await ben.client.teams.leave(teamId);
  const benStream = await follow(t, streamingApp, ben);
  const cleoStream = await follow(t, streamingApp, cleo);
  const eveStream = await follow(t, streamingApp, eve);
  await ann.client.prompts.answer(earlier, { choice: "yes" });
  await cleo.client.prompts.answer(earlier, { choice: "yes" });
  const { promptId: later = "" } = await sender.notify(PROMPT);
  await sender.askedPrompts.cancel(later);
  assert.deepEqual(await readPromptStates(cleoStream, 4), [
    `${earlier} open`,
    `${earlier} answered`,
    `${later} open`,
    `${later} cancelled`,
  ]);
  // Neither the former member nor the stranger gets an event.
  assert.deepEqual(await readUntilMarker(ben, benStream), []);
  assert.deepEqual(await readUntilMarker(eve, eveStream), []);
}

test("only the people who are asked get live events about a prompt", async (t) => {
  const app = await startApp(t);
  await testPromptEvents(t, app, app);
});

test(
  "only the people who are asked get live events about a prompt, also from another node",
  ON_POSTGRES,
  async (t) => {
    const app = await startApp(t);
    await testPromptEvents(t, app, await startApp(t, { peerApp: app }));
  },
);
