import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { addMember } from "../support/membership.ts";
import { createAccessToken, followLiveEvents, type FollowedStream } from "./follow-live-events.ts";

const QUESTION = { title: "Deploy?", body: "", choices: ["yes", "no"] };

async function follow(t: TestContext, app: TestApp, person: TestPerson): Promise<FollowedStream> {
  return followLiveEvents(t, app, { accessToken: await createAccessToken(person) });
}

/** Returns the states of questions that a stream tells, once it has told so many. */
async function readPromptStates(stream: FollowedStream, count: number) {
  const list = () =>
    stream.events.flatMap((event) =>
      event.kind === "prompt" ? [`${event.data.promptId} ${event.data.state}`] : [],
    );
  for (let seen = 1; list().length < count; seen += 1) await stream.waitForEvents(seen);
  return list();
}

/** Returns the kinds of events that a person gets before that of a send of her own, which marks the end. */
async function readUntilMarked(person: TestPerson, stream: FollowedStream) {
  await person.client.notify({ title: "Marker", body: "" });
  for (let count = 1; ; count += 1) {
    const events = await stream.waitForEvents(count);
    const end = events.findIndex(
      (event) => event.kind === "notification" && event.data.title === "Marker",
    );
    if (end !== -1) return events.slice(0, end).map(({ kind }) => kind);
  }
}

/** Asks a team, which Ben has left, on one node, and follows the streams of people on another. */
async function testEvents(t: TestContext, app: TestApp, streamsOf: TestApp): Promise<void> {
  const people = [];
  for (const name of ["Ann", "Ben", "Cleo", "Eve"]) people.push(await signUp(app, name));
  const [ann, ben, cleo, eve] = people as [TestPerson, TestPerson, TestPerson, TestPerson];
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  for (const person of [ben, cleo]) await addMember(ann, teamId, person);
  const sender = ann.withKey(key);
  const { promptId: earlier = "" } = await sender.notify({ ...QUESTION, answersNeeded: 2 });
  await ben.client.teams.leave(teamId);
  const [benStream, cleoStream, eveStream] = [
    await follow(t, streamsOf, ben),
    await follow(t, streamsOf, cleo),
    await follow(t, streamsOf, eve),
  ];
  await ann.client.prompts.answer(earlier, { choice: "yes" });
  await cleo.client.prompts.answer(earlier, { choice: "yes" });
  const { promptId: later = "" } = await sender.notify(QUESTION);
  await sender.askedPrompts.cancel(later);
  assert.deepEqual(await readPromptStates(cleoStream, 4), [
    `${earlier} open`,
    `${earlier} answered`,
    `${later} open`,
    `${later} cancelled`,
  ]);
  // Neither the former member nor the stranger hears of any.
  assert.deepEqual(await readUntilMarked(ben, benStream), []);
  assert.deepEqual(await readUntilMarked(eve, eveStream), []);
}

test("only the people who are asked hear of a question", async (t) => {
  const app = await startApp(t);
  await testEvents(t, app, app);
});

test(
  "on another node as well, only the people who are asked hear of it",
  ON_POSTGRES,
  async (t) => {
    const app = await startApp(t);
    await testEvents(t, app, await startApp(t, { peerApp: app }));
  },
);
