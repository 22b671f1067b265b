import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { signUp, startApp } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";

const PROMPT = { title: "Deploy 1.4.2?", body: "", choices: ["yes", "no"] };
const WITHOUT_LIMIT = { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } };

test("an incident key that equals a prompt's id does not name the prompt", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { promptId = "" } = await ann.client.notify(PROMPT);
  const send = { title: "Over", body: "", incidentKey: promptId };
  for (const incidentEvent of ["acknowledge", "resolve"] as const) {
    const { message } = await ann.client.notify({ ...send, incidentEvent });
    assert.equal(message, "No open incident has this key.");
  }
  const byPromptId = { incidentKey: promptId };
  await assert.rejects(ann.client.receipts.resolve(byPromptId), { code: "not_found" });
  const alarm = await ann.client.notify(send);
  assert.notEqual(alarm.incidentId, promptId);
  assert.equal((await ann.client.askedPrompts.get(promptId)).state, "open");
  const { isChanged, prompt } = await ann.client.prompts.answer(promptId, { choice: "yes" });
  assert.deepEqual([isChanged, prompt.state], [true, "answered"]);
});

test("a key that is revoked while its request waits does not read the answer", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { id, key } = await ann.client.keys.create({ kind: "account" });
  const revoked = ann.withKey(key);
  const { promptId = "" } = await revoked.notify(PROMPT);
  const { incidentId = "" } = await revoked.notify({
    ...PROMPT,
    choices: null,
    incidentKey: "a",
  });
  const waiting = [
    revoked.askedPrompts.get(promptId, { waitSeconds: 30 }),
    revoked.receipts.get(incidentId, { waitSeconds: 30 }),
  ].map((request) => assert.rejects(request, { status: 401, code: "invalid_key" }));
  // Once these requests are answered, the server has read the waiting ones.
  for (let count = 0; count < 3; count += 1) await revoked.askedPrompts.get(promptId);
  await ann.client.keys.remove(id);
  await ann.client.prompts.answer(promptId, { choice: "yes" });
  await ann.client.incidents.acknowledge(incidentId);
  await Promise.all(waiting);
});

test("a key that sends 130 prompts concurrently opens 100 of them, and gets 30 refusals", async (t) => {
  const app = await startApp(t, WITHOUT_LIMIT);
  const ann = await signUp(app, "Ann");
  const results = await Promise.allSettled(
    Array.from({ length: 130 }, () => ann.client.notifyAsync(PROMPT)),
  );
  const refusals = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason.code] : [],
  );
  assert.deepEqual(new Set(refusals), new Set(["too_many"]));
  assert.equal(refusals.length, 30);
  const openPrompts = await ann.client.prompts.list({ state: "open", limit: 200 });
  assert.equal(openPrompts.items.length, 100);
});

test("simultaneous sends with one idempotency key open one prompt", async (t) => {
  const app = await startApp(t, WITHOUT_LIMIT);
  const ann = await signUp(app, "Ann");
  const peer = ON_POSTGRES.skip === false ? await startApp(t, { peerApp: app }) : app;
  const other = createClient({ baseUrl: peer.url, apiKey: ann.key });
  const options = { idempotencyKey: "deploy-1" };
  const sent = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      (index % 2 === 0 ? ann.client : other).notifyAsync(PROMPT, options),
    ),
  );
  assert.equal(new Set(sent.map(({ promptId }) => promptId ?? assert.fail())).size, 1);
  assert.equal((await ann.client.prompts.list()).items.length, 1);
});

test("nobody can read a prompt after its team or account is deleted", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  const { promptId: teamPromptId = "" } = await ann.withKey(key).notify(PROMPT);
  const { promptId: benPromptId = "" } = await ben.client.notify(PROMPT);
  const waiting = ben.client.askedPrompts.get(benPromptId, { waitSeconds: 30 });
  const waitEnds = assert.rejects(waiting, { status: 401, code: "invalid_key" });
  await ben.client.profile.delete({ password: "password of Ben" });
  await waitEnds;
  await ann.client.teams.remove(teamId);
  await assert.rejects(ann.withKey(key).askedPrompts.get(teamPromptId), { status: 401 });
  await assert.rejects(ann.client.prompts.get(teamPromptId), { code: "not_found" });
  await assert.rejects(ann.client.prompts.answer(teamPromptId, { choice: "yes" }), {
    code: "not_found",
  });
  assert.deepEqual((await ann.client.prompts.list()).items, []);
});
