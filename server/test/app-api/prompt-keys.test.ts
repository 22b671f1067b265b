import assert from "node:assert/strict";
import test from "node:test";
import { signUp, startApp } from "../support/app.ts";

const QUESTION = { title: "Deploy 1.4.2?", body: "", choices: ["yes", "no"] };
const WITHOUT_LIMIT = { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } };

test("no incident key names a question", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { promptId = "" } = await ann.client.notify(QUESTION);
  const send = { title: "Over", body: "", incidentKey: promptId };
  for (const incidentEvent of ["acknowledge", "resolve"] as const) {
    const { message } = await ann.client.notify({ ...send, incidentEvent });
    assert.equal(message, "No open incident has this key.");
  }
  const named = { incidentKey: promptId };
  await assert.rejects(ann.client.receipts.resolve(named), { code: "not_found" });
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
  const { promptId = "" } = await revoked.notify(QUESTION);
  const { incidentId = "" } = await revoked.notify({
    ...QUESTION,
    choices: null,
    incidentKey: "a",
  });
  const waiting = [
    revoked.askedPrompts.get(promptId, { waitSeconds: 30 }),
    revoked.receipts.get(incidentId, { waitSeconds: 30 }),
  ].map((request) => assert.rejects(request, { status: 401, code: "invalid_key" }));
  // The requests that wait are read by the time that others have been answered.
  for (let count = 0; count < 3; count += 1) await revoked.askedPrompts.get(promptId);
  await ann.client.keys.remove(id);
  await ann.client.prompts.answer(promptId, { choice: "yes" });
  await ann.client.incidents.acknowledge(incidentId);
  await Promise.all(waiting);
});

test("a key that asks many questions at once has 100 open ones at most", async (t) => {
  const app = await startApp(t, WITHOUT_LIMIT);
  const ann = await signUp(app, "Ann");
  const results = await Promise.allSettled(
    Array.from({ length: 130 }, () => ann.client.notifyAsync(QUESTION)),
  );
  const refusals = results.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  assert.deepEqual(new Set(refusals), new Set(["too_many"]));
  assert.equal(refusals.length, 30);
  const open = await ann.client.prompts.list({ state: "open", limit: 200 });
  assert.equal(open.items.length, 100);
});
