import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice, startApp, signUp, type TestApp } from "../support/app.ts";
import { copyIncident } from "../support/incident-rows.ts";
import { TestClock } from "../support/test-clock.ts";
import { requestJson, parseErrorCode, HELLO, post } from "./http-requests.ts";
import { insertPausedDevices } from "./insert-paused-devices.ts";

/** The limit of open incidents for each key. */
const OPEN_INCIDENTS_MAX = 1_000;

interface Limits {
  readonly perSecond: number;
  readonly burst: number;
}

async function startLimited(t: TestContext, { perSecond, burst }: Limits) {
  const clock = new TestClock();
  const environment = {
    TOCSIN_RATE_LIMIT_PER_S: String(perSecond),
    TOCSIN_RATE_LIMIT_BURST: String(burst),
  };
  const app = await startApp(t, { now: clock.now, environment, isSingleProcess: true });
  return { clock, app, ann: await signUp(app, "Ann") };
}

/** Counts notifications in the database, because the list may show them a little later. */
async function countStored({ app }: TestApp): Promise<number> {
  const { db } = app.context.database;
  return (await db.selectFrom("notification").select("id").execute()).length;
}

/** Sends until a request is refused; returns the number of accepted requests and the refusal. */
async function sendUntilRefused({ url }: TestApp, key: string) {
  for (let acceptedCount = 0; ; acceptedCount += 1) {
    const response = await post(url, { key, path: "/api/v1/notify-async", body: HELLO });
    if (response.status !== 200) return { acceptedCount, refusal: response };
  }
}

test("a key sends its burst, then at the sustained rate, to the millisecond", async (t) => {
  for (const [perSecond, burst] of [[50, 100] as const, [3, 10] as const, [7, 33] as const]) {
    const { app, clock, ann } = await startLimited(t, { perSecond, burst });
    const first = await sendUntilRefused(app, ann.key);
    assert.equal(first.acceptedCount, burst);
    clock.advance(Math.ceil(1_000 / perSecond) - 1);
    assert.equal((await sendUntilRefused(app, ann.key)).acceptedCount, 0);
    clock.advance(1);
    assert.equal((await sendUntilRefused(app, ann.key)).acceptedCount, 1);
    clock.advance(10_000);
    assert.equal(
      (await sendUntilRefused(app, ann.key)).acceptedCount,
      Math.min(burst, 10 * perSecond),
    );
  }
});

test("a request above the limit gets 429 with Retry-After, and is not stored", async (t) => {
  const { app, ann } = await startLimited(t, { perSecond: 1, burst: 2 });
  const { refusal } = await sendUntilRefused(app, ann.key);
  assert.deepEqual([refusal.status, parseErrorCode(refusal)], [429, "rate_limited"]);
  assert.equal(refusal.headers["retry-after"], "1");
  assert.equal(refusal.headers["x-notification-id"], undefined);
  assert.equal(await countStored(app), 2);
});

test("each key has its own limit, and every form of the call counts towards it", async (t) => {
  const { app, ann } = await startLimited(t, { perSecond: 1, burst: 4 });
  const { client, key } = ann;
  const withOtherKey = ann.withKey((await client.keys.create({ kind: "account" })).key);
  const path = `/api/v1/notify/${key}?title=a&body=b`;
  await client.notify(HELLO);
  await client.notifyWithKey(key, HELLO);
  await requestJson(app.url, { path });
  await requestJson(app.url, { method: "HEAD", path });
  await assert.rejects(client.notifyGroup("g", HELLO), { status: 429, retryAfterMs: 1_000 });
  assert.equal((await withOtherKey.notify(HELLO)).success, false);
});

test("requests with invalid input count towards the limit too", async (t) => {
  const { app, ann } = await startLimited(t, { perSecond: 1, burst: 3 });
  const statuses = [];
  for (let count = 0; count < 4; count += 1) {
    statuses.push((await post(app.url, { key: ann.key, body: {} })).status);
  }
  assert.deepEqual(statuses, [400, 400, 400, 429]);
});

test("each 100 devices cost one more request, and a send above the limit is not stored", async (t) => {
  const { app, clock, ann } = await startLimited(t, { perSecond: 1, burst: 10 });
  await insertPausedDevices(app, ann, 300);
  await sendTimes(ann.client, 2);
  await assert.rejects(ann.client.notifyAsync(HELLO), { status: 429, retryAfterMs: 2_000 });
  assert.equal(await countStored(app), 2);
  // The refused send still cost one request.
  clock.advance(3_000);
  await ann.client.notifyAsync(HELLO);
});

test("sends and acts that push for an incident cost as much as any send to as many devices", async (t) => {
  const limits = { perSecond: 1, burst: 12 };
  const { app, clock, ann } = await startLimited(t, limits);
  const { client } = ann;
  await insertPausedDevices(app, ann, 300);
  const alarm = { ...HELLO, priority: "emergency", incidentKey: "disk" } as const;
  const limited = { status: 429, code: "rate_limited", retryAfterMs: 1_000 };
  /** Leaves three requests of the burst: one too few for a send to 300 devices. */
  const leaveThree = async () => {
    clock.advance(60_000);
    for (let count = 0; count < 9; count += 1) await client.receipts.get("missing").catch(() => {});
  };
  await leaveThree();
  await assert.rejects(client.notify(alarm), limited);
  assert.equal(await countStored(app), 0);
  clock.advance(60_000);
  const { incidentId = "" } = await client.notifyAsync(alarm);
  await leaveThree();
  // A repeated trigger pushes nothing, and costs one request.
  await client.notifyAsync(alarm);
  await leaveThree();
  const acts = [
    () => client.notifyAsync({ ...alarm, incidentEvent: "acknowledge" }),
    () => client.receipts.acknowledge({ incidentId }),
    () => client.notifyAsync({ ...alarm, title: "Disk fuller" }),
  ];
  for (const act of acts) {
    await leaveThree();
    await assert.rejects(act(), limited);
  }
  assert.equal((await client.receipts.get(incidentId)).occurrences, 2);
  clock.advance(60_000);
  await client.receipts.acknowledge({ incidentId });
});

test("a person's send with an incident costs one more request for each 100 devices, even above 500", async (t) => {
  const { app, ann } = await startLimited(t, { perSecond: 1, burst: 11 });
  await insertPausedDevices(app, ann, 501);
  const alarm = { ...HELLO, incidentKey: "disk" };
  await ann.client.notifications.send(alarm);
  const again = ann.client.notifications.send({ ...alarm, incidentKey: "other" });
  await assert.rejects(again, { status: 429, retryAfterMs: 1_000 });
});

test("a send that rings nobody, because too many incidents are open, costs as much as any other", async (t) => {
  const { app, ann } = await startLimited(t, { perSecond: 1, burst: 5 });
  const { incidentId = "" } = await ann.client.notify({ ...HELLO, incidentKey: "disk" });
  await copyIncident(app.app, incidentId, OPEN_INCIDENTS_MAX - 1);
  await insertPausedDevices(app, ann, 300);
  await ann.client.notifyAsync({ ...HELLO, incidentKey: "other" });
  const again = ann.client.notifyAsync({ ...HELLO, incidentKey: "other" });
  await assert.rejects(again, { status: 429, code: "rate_limited" });
});

async function sendTimes(
  client: { notifyAsync(body: typeof HELLO): Promise<unknown> },
  count: number,
) {
  for (let sent = 0; sent < count; sent += 1) await client.notifyAsync(HELLO);
}

test("a rate of 0 means no limit", async (t) => {
  const { app, ann } = await startLimited(t, { perSecond: 0, burst: 1 });
  await addDevice(app, ann);
  for (let count = 0; count < 20; count += 1) await ann.client.notifyAsync(HELLO);
});
