import assert from "node:assert/strict";
import test from "node:test";
import { signUp, startApp } from "../support/app.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency", incidentKey: "disk" } as const;

test("a repeated act gets the first response, and does not change a later incident", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  const resolve = { ...ALARM, title: "Disk fine", incidentEvent: "resolve" } as const;
  const acknowledge = { ...ALARM, incidentEvent: "acknowledge" } as const;
  const early = await client.notify(resolve, { idempotencyKey: "early" });
  assert.equal(early.message, "No open incident has this key.");
  await client.notify(ALARM);
  const taken = await client.notify(acknowledge, { idempotencyKey: "take" });
  const ended = await client.notify(resolve, { idempotencyKey: "end" });
  assert.equal(ended.message, "The incident is resolved.");
  const { incidentId: laterId = "" } = await client.notify(ALARM);
  assert.deepEqual(await client.notify(resolve, { idempotencyKey: "end" }), ended);
  assert.deepEqual(await client.notify(resolve, { idempotencyKey: "early" }), early);
  const again = await client.notify(acknowledge, { idempotencyKey: "take" });
  assert.deepEqual([again.success, again.message], [taken.success, taken.message]);
  assert.equal((await client.incidents.get(laterId)).state, "triggered");
  const mismatch = { status: 400, code: "idempotency_mismatch" };
  await assert.rejects(client.notify(acknowledge, { idempotencyKey: "end" }), mismatch);
  await assert.rejects(client.notify(ALARM, { idempotencyKey: "end" }), mismatch);
});

test("an act that changed nothing has no effect when it is repeated, either", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  const { incidentId = "" } = await client.notify(ALARM);
  await client.incidents.acknowledge(incidentId);
  const acknowledge = { ...ALARM, incidentEvent: "acknowledge" } as const;
  const options = { idempotencyKey: "take" };
  assert.match((await client.notify(acknowledge, options)).message, /^It was acknowledged before/);
  await client.incidents.ringAgain(incidentId);
  await client.notify(acknowledge, options);
  assert.equal((await client.incidents.get(incidentId)).state, "triggered");
});

test("simultaneous repetitions of an act have one effect", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  const { incidentId = "" } = await client.notify(ALARM);
  const resolve = { ...ALARM, incidentEvent: "resolve" } as const;
  const options = { idempotencyKey: "end" };
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => client.notify(resolve, options)),
  );
  assert.ok(responses.every(({ success }) => success));
  await client.notify(ALARM);
  await client.notify(resolve, options);
  const states = (await client.incidents.list()).items.map(({ id, state }) => [
    id === incidentId,
    state,
  ]);
  assert.deepEqual(states, [
    [false, "triggered"],
    [true, "resolved"],
  ]);
});
