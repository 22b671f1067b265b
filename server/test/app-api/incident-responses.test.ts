import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { insertPausedDevices } from "../contract/insert-paused-devices.ts";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { readRecordedEvents } from "../support/recorded-events.ts";
import { copyIncident } from "../support/incident-rows.ts";
import { TestClock } from "../support/test-clock.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency", incidentKey: "disk" } as const;
const OTHER = { ...ALARM, incidentKey: "other" };
/** The limit for each key, and for each person's own sends. */
const OPEN_INCIDENTS_MAX = 1_000;
/** An update of an incident is pushed at most once in this time. */
const UPDATE_INTERVAL_MS = 60_000;
const RINGS_NOBODY =
  /\. It rings nobody and opens no incident, because 1,000 .*autoResolveAfter\.$/;
const FEED_ONLY =
  /^This incident is open since \d\d:\d\d UTC \(\d times\)\. The new text is in the feed; devices get/;

/** Starts a server with a person who has one device. The person and their key each have the most open incidents allowed. */
async function startAtLimit(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const byKey = await ann.client.notify(ALARM);
  const byPerson = await ann.client.notifications.send(ALARM);
  for (const { incidentId = "" } of [byKey, byPerson])
    await copyIncident(app.app, incidentId, OPEN_INCIDENTS_MAX - 1);
  return ann;
}

test("a send over the limit of open incidents is delivered, and its retry gets the same response", async (t) => {
  const { client } = await startAtLimit(t);
  const options = { idempotencyKey: "alarm-1" };
  const first = await client.notify(OTHER, options);
  assert.match(first.message, /^Delivered to 1 of 1 device\. /);
  assert.match(first.message, RINGS_NOBODY);
  assert.deepEqual(await client.notify(OTHER, options), first);
  await assert.rejects(client.notify({ ...OTHER, body: "99 %" }, options), {
    code: "idempotency_mismatch",
  });
  // An open incident still accepts triggers.
  assert.match((await client.notify(ALARM)).message, /Nobody was told again/);
});

test("of two different sends over the limit with one idempotency key, one is refused", async (t) => {
  const { client } = await startAtLimit(t);
  const options = { idempotencyKey: "alarm-1" };
  const results = await Promise.allSettled([
    client.notify(OTHER, options),
    client.notify({ ...OTHER, incidentKey: "another" }, options),
  ]);
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const [refused] = results.filter((result) => result.status === "rejected");
  assert.equal(refused?.reason.code, "idempotency_mismatch");
});

test("a send over the limit that does not wait for its outcome also says that it rings nobody", async (t) => {
  const { client } = await startAtLimit(t);
  const options = { idempotencyKey: "alarm-1" };
  const first = await client.notifyAsync(OTHER, options);
  assert.match(first.message, /^Notification accepted\. /);
  assert.match(first.message, RINGS_NOBODY);
  assert.deepEqual(await client.notifyAsync(OTHER, options), first);
  const sent = await client.notifications.send(OTHER, options);
  assert.deepEqual([sent.deviceCount, sent.incidentId], [1, undefined]);
  assert.match(sent.message ?? "", RINGS_NOBODY);
  assert.deepEqual(await client.notifications.send(OTHER, options), sent);
});

test("an acknowledged incident counts towards the limit until it is resolved", async (t) => {
  const { client } = await startAtLimit(t);
  await client.receipts.acknowledge({ incidentKey: "disk" });
  assert.match((await client.notify(OTHER)).message, RINGS_NOBODY);
  await client.receipts.resolve({ incidentKey: "disk" });
  assert.equal((await client.notify(OTHER)).message, "Delivered to 1 of 1 device");
});

test("a new text whose push has to wait is a success, and is in the feed", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, { now: clock.now, isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  await ann.client.notify(ALARM);
  const options = { idempotencyKey: "update-1" };
  const update = { ...ALARM, title: "Disk fuller" };
  const feedOnly = await ann.client.notify(update, options);
  assert.deepEqual([feedOnly.success, feedOnly.responses], [true, []]);
  assert.match(feedOnly.message, FEED_ONLY);
  assert.deepEqual(await ann.client.notify(update, options), feedOnly);
  assert.match((await ann.client.notifyAsync({ ...ALARM, title: "Full" })).message, FEED_ONLY);
  const sent = await ann.client.notifications.send(ALARM);
  assert.equal(sent.message, "Notification accepted");
  const repeated = await ann.client.notifications.send(ALARM);
  assert.match(repeated.message ?? "", /\(2 times\)\. Nobody was told again\.$/);
  const [{ title } = { title: "" }] = (await ann.client.feed.list()).items.filter(
    ({ id }) => id !== sent.id,
  );
  assert.equal(title, "Full");
  clock.advance(UPDATE_INTERVAL_MS);
  const pushed = await ann.client.notify({ ...ALARM, title: "Disk fullest" });
  // One response shows that a push was tried. It fails, because the service rejects a token dated by the test clock.
  assert.equal(pushed.responses.length, 1);
});

test("an emergency for more than 500 devices is sent once, and the response says so", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await insertPausedDevices(app, ann, 501);
  const options = { idempotencyKey: "alarm-1" };
  const sent = await ann.client.notify(ALARM, options);
  assert.equal(sent.success, true);
  assert.match(sent.message, /^Accepted for more than 500 devices; .* It rings nobody, because/);
  const again = await ann.client.notifyAsync(ALARM, options);
  assert.match(again.message, /^Notification accepted\. It rings nobody, because/);
  const withoutRing = await ann.client.notify({ ...OTHER, priority: "high" });
  assert.doesNotMatch(withoutRing.message, /rings nobody/);
});

test("an emergency for more than 500 devices does not ring again, and the refusal says why", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await insertPausedDevices(app, ann, 501);
  const { incidentId: id = "" } = await ann.client.notify(ALARM);
  const ringAgain = () => ann.client.incidents.ringAgain(id);
  const message =
    "The incident cannot ring: it went to more than 500 devices, and so many are notified only once.";
  await assert.rejects(ringAgain(), { status: 409, code: "not_ringing", message });
  await ann.client.incidents.acknowledge(id);
  await assert.rejects(ringAgain(), { status: 409, code: "not_ringing", message });
  const { state, round, nextRoundAt, history } = await ann.client.incidents.get(id);
  assert.deepEqual([state, round, nextRoundAt], ["acknowledged", 0, null]);
  assert.ok(!history.some(({ kind }) => kind === "ring"));
});

test("an incident that is not an emergency does not ring again, and the refusal says why", async (t) => {
  const ann = await signUp(await startApp(t), "Ann");
  const { incidentId: id = "" } = await ann.client.notify({ ...ALARM, priority: "high" });
  const message = "Only an emergency rings: this incident is high.";
  const refusal = { status: 409, code: "not_ringing", message };
  await assert.rejects(ann.client.incidents.ringAgain(id), refusal);
});

test("ringing an incident again is rate limited like a send, and acknowledging it is not", async (t) => {
  const limits = { TOCSIN_RATE_LIMIT_PER_S: "1", TOCSIN_RATE_LIMIT_BURST: "50" };
  const app = await startApp(t, { environment: limits, isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  await insertPausedDevices(app, ann, 500);
  const { incidentId: id = "" } = await ann.client.notify(ALARM);
  const ringAgain = () => ann.client.incidents.ringAgain(id);
  // Each ring costs six requests: one for itself, and one more per 100 devices. Eight rings use 48 of the burst of 50.
  for (let count = 0; count < 8; count += 1) await ringAgain();
  const exhausted = { status: 429, code: "rate_limited" };
  const ringMore = async () => {
    for (let count = 0; count < 8; count += 1) await ringAgain();
  };
  await assert.rejects(ringMore(), exhausted);
  assert.ok((await ann.client.incidents.get(id)).round < 16);
  assert.equal((await ann.client.incidents.acknowledge(id)).incident.state, "acknowledged");
});

test("an emergency for an account without devices is not a success", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  const sent = await client.notify(ALARM);
  assert.equal(sent.success, false);
  assert.match(sent.message, /^No devices are signed in/);
});

test("a person's act by a send stores no notification without an open incident, and resolves an open one", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  for (const incidentEvent of ["acknowledge", "resolve"] as const) {
    const sent = await client.notifications.send({ ...ALARM, incidentEvent });
    const message = "No open incident has this key.";
    assert.deepEqual(sent, { id: null, deviceCount: 0, message });
  }
  assert.deepEqual((await client.notifications.list()).items, []);
  const opened = await client.notifications.send(ALARM);
  const resolution = await client.notifications.send({ ...ALARM, incidentEvent: "resolve" });
  assert.deepEqual(
    [resolution.incidentId, resolution.message],
    [opened.incidentId, "The incident is resolved."],
  );
});

test("an act by a person's send records the program in the incident, and the address in the audit log", async (t) => {
  const app = await startApp(t);
  const { client, accountId } = await signUp(app, "Ann");
  const { incidentId: id = "" } = await client.notifications.send(ALARM);
  const { token } = await client.accessTokens.create({ label: "shell" });
  const shell = createClient({
    baseUrl: app.url,
    accessToken: token,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("user-agent", "tocsin-cli/1.0.0");
      return fetch(url, { ...init, headers });
    },
  });
  await shell.notifications.send({ ...ALARM, incidentEvent: "acknowledge" });
  await client.notifications.send({ ...ALARM, incidentEvent: "resolve" });
  const { acknowledgement, resolution } = await client.incidents.get(id);
  assert.deepEqual([acknowledgement?.via, resolution?.via], ["command_line", "api"]);
  const events = await readRecordedEvents(app.app.context);
  const acts = events.filter(({ action }) => action.startsWith("incident_"));
  assert.ok(acts.length >= 2);
  for (const { actor, address } of acts) {
    assert.notEqual(address, null);
    assert.deepEqual([actor.kind, actor.accountId], ["access_token", accountId]);
    assert.notEqual(actor.credentialId, null);
  }
});

test("an act by incident key trims the key as a send does", async (t) => {
  const { client } = await signUp(await startApp(t), "Ann");
  const { incidentId } = await client.notify({ ...ALARM, incidentKey: " disk\n" });
  const { incident } = await client.receipts.acknowledge({ incidentKey: "\tdisk " });
  assert.deepEqual([incident.id, incident.incidentKey], [incidentId, "disk"]);
  const refusal = { status: 400, code: "invalid_field", field: "incidentKey" };
  for (const incidentKey of ["\n", "x".repeat(256), ""])
    await assert.rejects(client.receipts.resolve({ incidentKey }), refusal);
});
