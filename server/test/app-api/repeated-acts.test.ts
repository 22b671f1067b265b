import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { TestClock } from "../support/test-clock.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency", incidentKey: "disk" } as const;

test("a repeated act gets the first response, and does not change a later incident", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  const resolve = { ...ALARM, title: "Disk fine", incidentEvent: "resolve" } as const;
  const acknowledge = { ...ALARM, incidentEvent: "acknowledge" } as const;
  const withoutIncident = await client.notify(resolve, { idempotencyKey: "early" });
  assert.equal(withoutIncident.message, "No open incident has this key.");
  await client.notify(ALARM);
  const acknowledgement = await client.notify(acknowledge, { idempotencyKey: "take" });
  const resolution = await client.notify(resolve, { idempotencyKey: "end" });
  assert.equal(resolution.message, "The incident is resolved.");
  const { incidentId: laterId = "" } = await client.notify(ALARM);
  assert.deepEqual(await client.notify(resolve, { idempotencyKey: "end" }), resolution);
  assert.deepEqual(await client.notify(resolve, { idempotencyKey: "early" }), withoutIncident);
  const repeatedAcknowledgement = await client.notify(acknowledge, { idempotencyKey: "take" });
  assert.deepEqual(
    [repeatedAcknowledgement.success, repeatedAcknowledgement.message],
    [acknowledgement.success, acknowledgement.message],
  );
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

test("a retry gets the first response even after the policy and the callback secret are removed", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const [{ id: keyId } = assert.fail()] = (await client.keys.list()).items;
  await client.keys.createCallbackSecret(keyId);
  const steps = [{ afterSeconds: 0, targets: [{ kind: "me" } as const] }];
  const policy = await client.escalationPolicies.create({ name: "Night", steps });
  const callback = "https://hooks.example.org/done";
  const sends = [
    { content: { ...ALARM, escalation: "night" }, invalidField: "escalation" },
    { content: { ...ALARM, incidentKey: null, callback }, invalidField: "callback" },
    {
      content: { ...ALARM, incidentKey: null, choices: ["yes", "no"], callback },
      invalidField: "callback",
    },
  ];
  const repeat = (change = {}) =>
    Promise.allSettled(
      sends.map(({ content, invalidField }, index) =>
        client.notify({ ...content, ...change }, { idempotencyKey: `${invalidField} ${index}` }),
      ),
    );
  const first = await repeat();
  assert.ok(first.every(({ status }) => status === "fulfilled"));
  await client.escalationPolicies.remove(policy.id);
  await app.app.context.database.db.deleteFrom("callback_secret").execute();
  assert.deepEqual(await repeat(), first);
  for (const result of await repeat({ title: "Disk fuller" }))
    assert.equal(result.status === "rejected" && result.reason.code, "idempotency_mismatch");
  for (const { content, invalidField } of sends) {
    const sending = client.notify(content, { idempotencyKey: "new" });
    await assert.rejects(sending, { status: 400, code: "invalid_field", field: invalidField });
  }
});

test("a retry of a trigger that told nobody says from when to when its incident was open", async (t) => {
  const clock = new TestClock(Date.parse("2026-05-04T12:03:00Z"));
  const app = await startApp(t, { now: clock.now });
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const { client } = ann;
  const repeatAlarm = () => client.notify(ALARM, { idempotencyKey: "repeat" });
  const sendNewText = () =>
    client.notify({ ...ALARM, title: "Disk fuller" }, { idempotencyKey: "new text" });
  const { incidentId = "" } = await client.notify(ALARM);
  await repeatAlarm();
  await sendNewText();
  clock.advance(7 * 60_000);
  await client.incidents.resolve(incidentId);
  const { incidentId: laterId } = await client.notify(ALARM);
  assert.notEqual(laterId, incidentId);
  const span = "This incident was open from 12:03 to 12:10 UTC (3 times).";
  const repeatedAlarmRetry = await repeatAlarm();
  assert.deepEqual(
    [repeatedAlarmRetry.success, repeatedAlarmRetry.message, repeatedAlarmRetry.incidentId],
    [true, `${span} Nobody was told again.`, incidentId],
  );
  const newTextRetry = await sendNewText();
  assert.deepEqual(
    [newTextRetry.success, newTextRetry.message, newTextRetry.incidentId],
    [true, `${span} The new text was put in the feed.`, incidentId],
  );
});

test("a retry names its prompt or incident even after the notification was removed", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { db } = app.app.context.database;
  const alarm = { ...ALARM, incidentKey: null };
  const open = () => client.notify(ALARM, { idempotencyKey: "open" });
  await client.receipts.resolve({ incidentId: (await client.notify(ALARM)).incidentId ?? "" });
  const { incidentId: keyedId } = await open();
  const ask = () => client.notify({ ...alarm, choices: ["yes", "no"] }, { idempotencyKey: "ask" });
  const ring = () => client.notify(alarm, { idempotencyKey: "ring" });
  const { promptId } = await ask();
  const { incidentId } = await ring();
  await db.deleteFrom("notification").execute();
  const repeatedPrompt = await ask();
  const repeatedAlarm = await ring();
  const message = "This request was accepted before. Its results are no longer stored.";
  assert.deepEqual(
    [repeatedPrompt.success, repeatedPrompt.message, repeatedPrompt.promptId],
    [true, message, promptId],
  );
  assert.deepEqual(
    [repeatedAlarm.success, repeatedAlarm.message, repeatedAlarm.incidentId],
    [true, message, incidentId],
  );
  assert.notEqual(repeatedPrompt.promptId, undefined);
  const opened = await open();
  assert.deepEqual([opened.success, opened.message, opened.incidentId], [true, message, keyedId]);
  await db.deleteFrom("incident").execute();
  for (const { success, message: text, ...rest } of [await ask(), await ring()]) {
    assert.deepEqual([success, text], [true, message]);
    assert.deepEqual([rest.promptId, rest.incidentId], [undefined, undefined]);
  }
  assert.deepEqual((await client.prompts.list()).items, []);
});
