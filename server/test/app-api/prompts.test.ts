import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp, type TestPerson } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";

const PROMPT = { title: "Deploy 1.4.2?", body: "", choices: ["yes", "no"] };

test("a person answers a prompt once, and the sender learns who answered", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const sent = await ann.client.notify(PROMPT);
  assert.equal(sent.message, "Delivered to 1 of 1 device");
  assert.equal(sent.incidentId, undefined);
  const id = sent.promptId ?? assert.fail();
  await phone.waitForRequests(1);

  const [listed] = (await ann.client.prompts.list({ state: "open" })).items;
  assert.deepEqual(
    [listed?.id, listed?.choices, listed?.answer, listed?.ownAnswer],
    [id, ["yes", "no"], null, null],
  );
  const [item] = (await ann.client.feed.list()).items;
  assert.deepEqual(
    [item?.promptId, item?.promptState, item?.incidentId, item?.cause],
    [id, "open", null, "prompt"],
  );
  const waiting = ann.client.askedPrompts.get(id, { waitSeconds: 30 });
  const answered = await ann.client.prompts.answer(id, { choice: "yes" });
  assert.deepEqual(
    [answered.isChanged, answered.prompt.state, answered.message],
    [true, "answered", "The question is answered: yes"],
  );
  const { state, answer, closedAt } = await waiting;
  assert.deepEqual(
    [state, answer?.choice, answer?.text, answer?.name, answer?.via],
    ["answered", "yes", null, "Ann", "api"],
  );
  assert.notEqual(closedAt, null);
  await phone.waitForRequests(2);
  // The line in the feed keeps the prompt's title.
  const { items } = await ann.client.feed.list();
  assert.deepEqual(
    items.map(({ title, promptState }) => [title, promptState]),
    [["Deploy 1.4.2?", "answered"]],
  );
  assert.deepEqual((await ann.client.incidents.list()).items, []);
  assert.deepEqual((await ann.client.prompts.list({ state: "open" })).items, []);
  const repeated = await ann.client.prompts.answer(id, { choice: "yes" });
  assert.equal(repeated.isChanged, false);
  const lateAnswer = ann.client.prompts.answer(id, { choice: "no" });
  await assert.rejects(lateAnswer, {
    status: 409,
    code: "prompt_closed",
    message: /^Ann answered first, at .*: yes$/,
  });
});

test("a prompt with an invalid field is refused with the field's name, and nothing is stored", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { choices } = PROMPT;
  const invalidFields: readonly (readonly [field: string, request: object])[] = [
    ["choices", { choices: "yes,no" }],
    ["choices", { choices: ["yes"] }],
    ["choices", { choices: ["1", "2", "3", "4", "5", "6", "7"] }],
    ["choices", { choices: ["yes", ""] }],
    ["choices", { choices: ["yes", "x".repeat(41)] }],
    ["choices", { choices: ["yes", " yes"] }],
    ["choices", { choices: ["yes", "\u202e yes"] }],
    ["choices", { choices: ["no", "yes", "YES"] }],
    ["choices", { choices: ["yes", "ye\u200bs"] }],
    ["choices", { choices: ["yes", "\u3164"] }],
    ["choices", { choices: ["yes", 2] }],
    ["allowText", { allowText: "true" }],
    ["answersNeeded", { choices, answersNeeded: 0 }],
    ["answersNeeded", { choices, answersNeeded: 21 }],
    ["answersNeeded", { allowText: true, answersNeeded: 2 }],
    ["answersNeeded", { answersNeeded: 2 }],
    // Only one person is asked.
    ["answersNeeded", { choices, answersNeeded: 2 }],
    ["incidentKey", { choices, incidentKey: "disk" }],
    ["autoResolveAfter", { choices, autoResolveAfter: 60 }],
    ["repeatEvery", { choices, repeatEvery: 60 }],
    ["escalation", { choices, escalation: "night" }],
    ["expireAfter", { choices, expireAfter: 59 }],
    ["repeatEvery", { choices, priority: "emergency", repeatEvery: 30, expireAfter: 3_001 }],
    ["callback", { choices, callback: "https://example.org/done" }],
  ];
  for (const [field, request] of invalidFields) {
    const sending = ann.client.notify({ ...PROMPT, choices: null, ...request });
    await assert.rejects(sending, { status: 400, code: "invalid_field", field }, field);
  }
  assert.deepEqual((await ann.client.feed.list()).items, []);
  assert.deepEqual((await ann.client.prompts.list()).items, []);
  // A prompt that does not ring has no rounds, so the limit of rounds does not shorten its life.
  const longPrompt = await ann.client.notify({ ...PROMPT, expireAfter: 86_400 });
  assert.notEqual(longPrompt.promptId, undefined);
  const plainNotification = await ann.client.notify({
    ...PROMPT,
    choices: null,
    allowText: false,
  });
  assert.equal(plainNotification.promptId, undefined);
});

test("every send operation can open a prompt", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [] });
  const { title, body } = PROMPT;
  const sent = [
    await ann.client.notify(PROMPT),
    await ann.client.notifyAsync(PROMPT),
    await ann.client.notifyWithKey(ann.key, PROMPT),
    await ann.client.notifyGroup(group.id, PROMPT),
    await ann.client.notifications.send(PROMPT),
    await ann.client.notifyWebhook(ann.key, { ...PROMPT, allowText: true }),
  ];
  const ids = sent.map(({ promptId }) => promptId ?? assert.fail());
  const { items } = await ann.client.prompts.list();
  assert.deepEqual(items.map(({ id }) => id).toSorted(), ids.toSorted());
  assert.ok(items.every(({ choices }) => choices.join() === "yes,no"));
  const webhookPromptId = ids.at(-1) ?? "";
  assert.equal((await ann.client.askedPrompts.get(webhookPromptId)).allowText, true);
  const query = new URLSearchParams({ title, body, choices: "yes, no" });
  const response = await fetch(`${app.url}/api/v1/notify/${ann.key}?${query.toString()}`);
  const json = Object(await response.json());
  assert.equal(response.headers.get("x-prompt-id"), json.promptId);
  assert.equal(response.headers.get("x-incident-id"), null);
});

test("a repeated send with the same idempotency key opens one prompt", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const options = { idempotencyKey: "deploy-1" };
  const first = await ann.client.notify(PROMPT, options);
  assert.deepEqual(await ann.client.notify(PROMPT, options), first);
  await phone.waitForRequests(1);
  assert.equal((await ann.client.prompts.list()).items.length, 1);
  const changed = ann.client.notify({ ...PROMPT, allowText: true }, options);
  await assert.rejects(changed, { code: "idempotency_mismatch" });
});

test("a key can have 100 open prompts, and may open another after it cancels one", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ids: string[] = [];
  for (let count = 0; count < 100; count += 1)
    ids.push((await ann.client.notifyAsync(PROMPT)).promptId ?? assert.fail());
  const oneTooMany = ann.client.notifyAsync(PROMPT);
  await assert.rejects(oneTooMany, { status: 400, code: "too_many", message: /^100 questions/ });
  assert.equal((await ann.client.feed.list({ limit: 200 })).items.length, 100);
  // Incidents have a limit of their own.
  const alarm = await ann.client.notifyAsync({ title: "Disk", body: "", incidentKey: "disk" });
  assert.notEqual(alarm.incidentId, undefined);
  const [id = ""] = ids;
  const cancelled = await ann.client.askedPrompts.cancel(id);
  assert.deepEqual([cancelled.state, cancelled.answer], ["cancelled", null]);
  assert.deepEqual(await ann.client.askedPrompts.cancel(id), cancelled);
  const lateAnswer = ann.client.prompts.answer(id, { choice: "yes" });
  await assert.rejects(lateAnswer, {
    code: "prompt_closed",
    message: /^The question was withdrawn/,
  });
  await ann.client.notifyAsync(PROMPT);
});

test("only the asking key, its successors and the people who are asked see a prompt", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const eve = await signUp(app, "Eve");
  const { promptId: id = "" } = await ann.client.notify(PROMPT);
  const missing = { status: 404, code: "not_found" };
  const { askedPrompts } = eve.client;
  const refusedRequests = [
    askedPrompts.get(id),
    askedPrompts.get(id, { waitSeconds: 1 }),
    askedPrompts.cancel(id),
    askedPrompts.get("missing"),
    eve.client.prompts.get(id),
    eve.client.prompts.answer(id, { choice: "yes" }),
    // A prompt is not an incident.
    ann.client.receipts.get(id),
    ann.client.receipts.resolve({ incidentId: id }),
    ann.client.incidents.get(id),
    ann.client.incidents.acknowledge(id),
  ];
  await Promise.all(refusedRequests.map((request) => assert.rejects(request, missing)));
  const alarm = await ann.client.notify({ title: "Disk", body: "", incidentKey: "disk" });
  await assert.rejects(ann.client.askedPrompts.get(alarm.incidentId ?? ""), missing);
  await assert.rejects(ann.client.prompts.get(alarm.incidentId ?? ""), missing);

  const [{ id: keyId } = assert.fail()] = (await ann.client.keys.list()).items;
  const { key } = await ann.client.keys.rotate(keyId);
  await ann.client.keys.remove(keyId);
  await assert.rejects(ann.client.askedPrompts.get(id), { status: 401 });
  assert.equal((await ann.withKey(key).askedPrompts.get(id)).state, "open");
});

test("a prompt that needs three equal answers stays open until it has them, and answers may change", async (t) => {
  const app = await startApp(t);
  const people: TestPerson[] = [];
  for (const name of ["Ann", "Ben", "Cleo", "Dan", "Eve"]) people.push(await signUp(app, name));
  const [ann = assert.fail(), ...others] = people;
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  for (const person of others) await addMember(ann, teamId, person);
  const { promptId: id = "" } = await ann.withKey(key).notify({ ...PROMPT, answersNeeded: 3 });
  const answer = (index: number, choice: string) =>
    (people[index] ?? ann).client.prompts.answer(id, { choice });
  const first = await answer(0, "no");
  assert.equal(first.message, "Your answer counts. 1 person has answered; 3 must agree.");
  await answer(1, "yes");
  await answer(2, "no");
  assert.equal((await answer(2, "no")).isChanged, false);
  await answer(0, "yes");
  const { state } = await ann.withKey(key).askedPrompts.get(id);
  assert.equal(state, "open");
  const last = await answer(3, "yes");
  assert.equal(last.prompt.state, "answered");
  const { answer: decisive, answers } = await ann.withKey(key).askedPrompts.get(id);
  assert.deepEqual([decisive?.choice, decisive?.name], ["yes", "Dan"]);
  assert.deepEqual(
    answers.map(({ name, choice }) => `${name} ${choice}`),
    ["Ann yes", "Ben yes", "Cleo no", "Dan yes"],
  );
  // Repeating an answer that agrees with the result is not an error; every other answer is.
  assert.equal((await answer(1, "yes")).isChanged, false);
  await assert.rejects(answer(2, "no"), { code: "prompt_closed" });
  await assert.rejects(answer(4, "yes"), { code: "prompt_closed", message: /^Dan answered first/ });
});

test("a text answer is sanitised like a title, and counts as a choice if it equals one", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const textPrompt = { title: "Why?", body: "", allowText: true, choices: ["skip", "later"] };
  const { promptId: id = "" } = await ann.client.notify(textPrompt);
  for (const [field, input] of [
    ["choice", {}],
    ["choice", { choice: "skip", text: "both" }],
    ["choice", { choice: "never" }],
    ["text", { text: " \u001b" }],
    ["text", { text: "x".repeat(1_001) }],
  ] as const) {
    const invalidAnswer = ann.client.prompts.answer(id, input as { text: string });
    await assert.rejects(invalidAnswer, { status: 400, code: "invalid_field", field });
  }
  const text = "a \u001b[31mred\u202e\u0000 fish";
  const { prompt } = await ann.client.prompts.answer(id, { text });
  assert.deepEqual([prompt.answer?.text, prompt.answer?.choice], ["a [31mred fish", null]);

  // A typed "No" must not count as a free text when "no" is a choice.
  for (const [typed, choice] of [
    [" no\u0000 ", "no"],
    ["YES", "yes"],
    ["ＮＯ", "no"],
  ] as const) {
    const { promptId = "" } = await ann.client.notify({ ...textPrompt, choices: ["yes", "no"] });
    const { prompt: answeredPrompt } = await ann.client.prompts.answer(promptId, { text: typed });
    assert.deepEqual([answeredPrompt.answer?.choice, answeredPrompt.answer?.text], [choice, null]);
  }

  const { promptId: choiceOnlyId = "" } = await ann.client.notify(PROMPT);
  const unlistedAnswer = ann.client.prompts.answer(choiceOnlyId, { text: "maybe" });
  await assert.rejects(unlistedAnswer, { field: "text" });
});

test("a device's action key answers only a prompt that was sent to the device", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const eve = await signUp(app, "Eve");
  const { credential } = await addDevice(app, ann);
  const { credential: foreignCredential } = await addDevice(app, eve);
  const { promptId = "" } = await ann.client.notify(PROMPT);
  const act = { act: "answer", promptId, answer: "no" } as const;
  const missing = { status: 404, code: "not_found" };
  await assert.rejects(app.anonymous.act(foreignCredential, act), missing);
  const asIncident = { act: "acknowledge", incidentId: promptId } as const;
  await assert.rejects(app.anonymous.act(credential, asIncident), missing);
  const unlistedAnswer = app.anonymous.act(credential, { ...act, answer: "maybe" });
  await assert.rejects(unlistedAnswer, { status: 400, field: "answer" });
  const { message } = await app.anonymous.act(credential, act);
  assert.equal(message, "The question is answered: no");
  const { answer } = await ann.client.askedPrompts.get(promptId);
  assert.deepEqual(
    [answer?.choice, answer?.name, answer?.via, answer?.deviceName],
    ["no", "Ann", "button", "Phone"],
  );
  await assert.rejects(app.anonymous.act(credential, { ...act, answer: "yes" }), {
    status: 409,
    code: "prompt_closed",
  });
  const { items } = await ann.client.profile.audit();
  const recorded = items.find(({ action }) => action === "prompt_answered");
  assert.deepEqual([recorded?.actor.kind, recorded?.subjectId], ["device", promptId]);
});
