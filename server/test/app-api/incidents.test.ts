import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";
import { addRounds } from "../support/incident-rows.ts";

const ALARM = {
  title: "Disk full",
  body: "99 %",
  priority: "emergency",
  incidentKey: "disk",
} as const;

test("a person acknowledges an incident, and its sender learns who did", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const sent = await ann.client.notify(ALARM);
  assert.equal(sent.message, "Delivered to 1 of 1 device");
  const id = sent.incidentId ?? assert.fail();
  await phone.waitForRequests(1);

  const [listed] = (await ann.client.incidents.list({ state: "open" })).items;
  assert.equal(listed?.id, id);
  assert.equal(listed?.state, "triggered");
  assert.notEqual(listed?.nextRoundAt, null);

  const waiting = ann.client.receipts.get(id, { waitSeconds: 30 });
  const acknowledged = await ann.client.incidents.acknowledge(id, { note: "On it" });
  assert.deepEqual([acknowledged.isChanged, acknowledged.incident.state], [true, "acknowledged"]);
  const receipt = await waiting;
  assert.deepEqual(
    [receipt.state, receipt.acknowledgement?.name, receipt.acknowledgement?.via],
    ["acknowledged", "Ann", "api"],
  );
  const again = await ann.client.incidents.acknowledge(id);
  assert.equal(again.isChanged, false);
  assert.match(again.message, /already acknowledged by Ann, at 20/);

  const { history, notifications } = await ann.client.incidents.get(id);
  assert.deepEqual(
    history.map(({ kind }) => kind),
    ["opened", "step", "push", "acknowledged", "push"],
  );
  assert.equal(history[3]?.detail["note"], "On it");
  assert.deepEqual(
    notifications.map(({ title }) => title),
    ["Acknowledged by Ann", "Disk full"],
  );
});

test("any member of a team can resolve its incident, and nobody else sees it", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const eve = await signUp(app, "Eve");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, teamId, ben);
  const { incidentId: id = "" } = await ann.withKey(key).notify(ALARM);
  await assert.rejects(eve.client.incidents.get(id), { status: 404, code: "not_found" });
  await assert.rejects(eve.client.incidents.acknowledge(id), { status: 404, code: "not_found" });
  // A key sees only the incidents that it opened.
  await assert.rejects(ann.client.receipts.get(id), { status: 404, code: "not_found" });
  const { incident } = await ben.client.incidents.resolve(id);
  assert.equal(incident.resolution?.name, "Ben");
  assert.equal(incident.teamName, "Ops");
  const answer = await ann.withKey(key).receipts.resolve({ incidentId: id });
  assert.match(answer.message, /already resolved by Ben/);
});

test("the act of a deleted account shows no name", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, teamId, ben);
  const { incidentId: id = "" } = await ann.withKey(key).notify(ALARM);
  await ben.client.incidents.acknowledge(id);
  await ben.client.profile.delete({ password: "password of Ben" });
  const { acknowledgement, history } = await ann.client.incidents.get(id);
  assert.deepEqual([acknowledgement?.name, acknowledgement?.via], [null, "api"]);
  assert.equal(history.find(({ kind }) => kind === "acknowledged")?.act?.name, null);
  assert.equal((await ann.withKey(key).receipts.get(id)).acknowledgement?.name, null);
  const { message } = await ann.client.incidents.acknowledge(id);
  assert.match(message, /^The incident is already acknowledged, at 20/);
});

test("a sender triggers, acknowledges and resolves an incident by its incident key", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const first = await ann.client.notify(ALARM);
  const second = await ann.client.notify(ALARM);
  assert.equal(second.incidentId, first.incidentId);
  assert.match(second.message, /^This incident is open since \d\d:\d\d UTC \(2 times\)\. Nobody/);
  assert.deepEqual(second.responses, []);
  const acknowledged = await ann.client.notify({ ...ALARM, incidentEvent: "acknowledge" });
  assert.equal(acknowledged.message, "The incident is acknowledged.");
  const resolved = await ann.client.receipts.resolve({ incidentKey: "disk" });
  assert.equal(resolved.incident.state, "resolved");
  const lateResolve = await ann.client.notify({ ...ALARM, incidentEvent: "resolve" });
  assert.deepEqual(
    [lateResolve.success, lateResolve.message],
    [true, "No open incident has this key."],
  );
});

test("a send with an invalid incident field is refused with the field's name, and nothing is stored", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const invalidFields: readonly (readonly [field: string, request: object])[] = [
    ["incidentKey", { incidentKey: "x".repeat(256) }],
    ["incidentEvent", { incidentEvent: "resolve" }],
    ["incidentEvent", { incidentKey: "disk", incidentEvent: "close" }],
    ["autoResolveAfter", { incidentKey: "disk", autoResolveAfter: 59 }],
    ["repeatEvery", { priority: "emergency", repeatEvery: 30, expireAfter: 3_001 }],
    ["expireAfter", { priority: "emergency", expireAfter: "60" }],
    ["callback", { incidentKey: "disk", callback: "example.org" }],
    ["callback", { callback: "https://example.org/done" }],
  ];
  for (const [field, request] of invalidFields) {
    const sending = ann.client.notify({ title: "Disk", body: "", ...request });
    await assert.rejects(sending, { status: 400, code: "invalid_field", field }, field);
  }
  assert.deepEqual((await ann.client.feed.list()).items, []);
  assert.deepEqual((await ann.client.incidents.list()).items, []);
});

test("an unknown incidentEvent of any length is refused with the events that exist", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  for (const incidentEvent of ["close", "acknowledge-and-resolve", " ", 7]) {
    const request = { ...ALARM, incidentEvent } as unknown as typeof ALARM; // A script may send anything.
    const message = "incidentEvent must be trigger, acknowledge or resolve.";
    await assert.rejects(client.notify(request), { code: "invalid_field", message });
  }
});

test("a repeated send with the same idempotency key does not trigger the incident again", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const options = { idempotencyKey: "alarm-1" };
  const first = await ann.client.notify(ALARM, options);
  const second = await ann.client.notify(ALARM, options);
  assert.deepEqual(second, first);
  await phone.waitForRequests(1);
  const secondOptions = { idempotencyKey: "alarm-2" };
  const repeated = await ann.client.notify(ALARM, secondOptions);
  assert.deepEqual(await ann.client.notify(ALARM, secondOptions), repeated);
  const [incident] = (await ann.client.incidents.list()).items;
  assert.equal(incident?.occurrences, 2);
  const changed = { ...ALARM, repeatEvery: 120 };
  await assert.rejects(ann.client.notify(changed, options), { code: "idempotency_mismatch" });
});

test("a person's send triggers an incident, and a device acknowledges the incident with its action key", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const eve = await signUp(app, "Eve");
  const { credential } = await addDevice(app, ann);
  const { credential: foreignCredential } = await addDevice(app, eve);
  const sent = await ann.client.notifications.send(ALARM);
  assert.equal(sent.deviceCount, 1);
  const incidentId = sent.incidentId ?? assert.fail();
  const act = { act: "acknowledge", incidentId } as const;
  await assert.rejects(app.anonymous.act(foreignCredential, act), {
    status: 404,
    code: "not_found",
  });
  const { message } = await app.anonymous.act(credential, act);
  assert.equal(message, "The incident is acknowledged.");
  const { acknowledgement } = await ann.client.incidents.get(incidentId);
  assert.deepEqual(
    [acknowledgement?.name, acknowledgement?.via, acknowledgement?.deviceName],
    ["Ann", "button", "Phone"],
  );
  const escalation = app.anonymous.act(credential, { act: "escalate", incidentId });
  await assert.rejects(escalation, { status: 409, code: "not_ringing" });
});

test("a server that stops answers a waiting receipt request at once", async (t) => {
  const app = await startApp(t, { isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  const { incidentId: id = "" } = await ann.client.notify(ALARM);
  const waiting = ann.client.receipts.get(id, { waitSeconds: 60 });
  // Once this request is answered, the server has read the earlier one.
  await ann.client.receipts.get(id);
  const startedAt = performance.now();
  const stopped = app.app.stop();
  assert.equal((await waiting).state, "triggered");
  assert.ok(performance.now() - startedAt < 1_000);
  await stopped;
});

test("an incident shows the latest 100 entries of its history, and a cursor leads to earlier ones", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { incidentId: id = "" } = await client.notify(ALARM);
  const withoutRounds = await client.incidents.get(id);
  assert.equal(withoutRounds.earlierCursor, null);
  await addRounds(app.app, id, 250 - withoutRounds.history.length);
  const pages = [await client.incidents.get(id)];
  for (let cursor = pages[0]?.earlierCursor ?? null; cursor !== null;) {
    const page = await client.incidents.get(id, { cursor });
    pages.unshift(page);
    cursor = page.earlierCursor;
  }
  assert.deepEqual(
    pages.map(({ history }) => history.length),
    [50, 100, 100],
  );
  const entryIds = pages.flatMap(({ history }) => history.map((entry) => entry.id));
  assert.deepEqual(entryIds, [...new Set(entryIds)].toSorted());
  assert.deepEqual(pages[0]?.history.slice(0, withoutRounds.history.length), withoutRounds.history);
  // A notification is on the same page as its entry in the history.
  assert.deepEqual(
    pages.map(({ notifications }) => notifications.length),
    [withoutRounds.notifications.length, 0, 0],
  );
  const refusal = { status: 400, code: "invalid_field", field: "cursor" };
  await assert.rejects(client.incidents.get(id, { cursor: "?" }), refusal);
});
