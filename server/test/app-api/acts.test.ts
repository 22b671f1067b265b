import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { DeviceCredential } from "@tocsin/sdk";
import { send as sendRequest } from "../contract/http-requests.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { createMissingId } from "./app-fixture.ts";
import { createAccessToken, followLiveEvents } from "./follow-live-events.ts";

const PATH = "/api/app/v1/acts";
const NOT_FOUND = { status: 404, code: "not_found", message: "You have no such notification." };
const UNAUTHENTICATED = { status: 401, code: "unauthenticated" };
const RATE_LIMITED = { status: 429, code: "rate_limited" };

async function setUp(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const app = await startApp(t, { environment });
  const ann = await signUp(app, "Ann");
  const { credential } = await addDevice(app, ann);
  return { app, ann, credential };
}

async function send({ client }: Pick<TestPerson, "client">): Promise<string> {
  return getNotificationId(await client.notify({ title: "Disk full", body: "db-1" }));
}

async function listUnreadIds({ client }: TestPerson): Promise<readonly string[]> {
  return (await client.feed.list({ unread: true })).items.map(({ id }) => id);
}

function markRead({ anonymous }: TestApp, credential: DeviceCredential, ids: readonly string[]) {
  return anonymous.act(credential, { act: "read", notificationIds: ids });
}

/** Posts any body with any authorization; empties the request id in the response. */
async function requestAct(
  { url }: TestApp,
  { authorization, body }: { readonly authorization?: string; readonly body: unknown },
) {
  const headers = authorization === undefined ? {} : { authorization };
  const { status, text } = await sendRequest(url, { method: "POST", path: PATH, headers, body });
  return { status, text: text.replace(/"requestId":"[^"]+"/, '"requestId":""') };
}

test("a device marks its owner's notifications as read without a session, and a live event reports it", async (t) => {
  const { app, ann, credential } = await setUp(t);
  const ids = [await send(ann), await send(ann)];
  const accessToken = await createAccessToken(ann);
  const stream = await followLiveEvents(t, app, { accessToken });
  const response = await markRead(app, credential, ids);
  assert.deepEqual(response, { success: true, message: "Marked as read." });
  assert.deepEqual(await listUnreadIds(ann), []);
  const [event] = await stream.waitForEvents(1);
  const { readAt } = await ann.client.feed.get(ids[0] ?? "");
  assert.ok(event?.kind === "read");
  assert.deepEqual(event.data, { kind: "read", which: { ids }, readAt });
  // Repeating the act keeps the first time.
  await markRead(app, credential, ids);
  assert.equal((await ann.client.feed.get(ids[0] ?? "")).readAt, readAt);
});

test("a device marks a team's notification as read for its owner alone", async (t) => {
  const { app, ann, credential } = await setUp(t);
  const bob = await signUp(app, "Bob");
  const team = await bob.client.teams.create({ name: "Ops" });
  await addMember(bob, team.id, ann);
  const id = await send({ client: bob.withKey(team.key) });
  await markRead(app, credential, [id]);
  assert.deepEqual([await listUnreadIds(ann), await listUnreadIds(bob)], [[], [id]]);
});

test("a device gets the same refusal for another account's notification as for a missing or deleted one", async (t) => {
  const { app, ann, credential } = await setUp(t);
  const bob = await signUp(app, "Bob");
  const foreignId = await send(bob);
  const ownId = await send(ann);
  const authorization = `Device ${credential.deviceId}.${credential.actionKey}`;
  const toBody = (id: string) => ({ act: "read", notificationIds: [id] });
  const responses = await Promise.all(
    [foreignId, createMissingId()].map((id) =>
      requestAct(app, { authorization, body: toBody(id) }),
    ),
  );
  assert.equal(responses[0]?.status, NOT_FOUND.status);
  assert.deepEqual(responses[0], responses[1]);
  await assert.rejects(markRead(app, credential, [foreignId]), NOT_FOUND);
  await ann.client.feed.remove(ownId);
  await assert.rejects(markRead(app, credential, [ownId]), NOT_FOUND);
});

test("a device that names its owner's and another account's notification marks only its owner's as read", async (t) => {
  const { app, ann, credential } = await setUp(t);
  const bob = await signUp(app, "Bob");
  const foreignId = await send(bob);
  await markRead(app, credential, [foreignId, await send(ann)]);
  assert.deepEqual([await listUnreadIds(ann), await listUnreadIds(bob)], [[], [foreignId]]);
});

test("every credential but the device's current action key gets the same refusal", async (t) => {
  const { app, ann, credential } = await setUp(t);
  const id = await send(ann);
  const { deviceId, actionKey } = credential;
  const other = await addDevice(app, ann, "Tablet");
  const removed = await addDevice(app, ann, "Old phone");
  await ann.client.devices.remove(removed.device.id);
  const toHeader = (device: DeviceCredential) => `Device ${device.deviceId}.${device.actionKey}`;
  const { actionKey: renewedKey } = await ann.client.devices.renewActionKey(deviceId);
  const headers = [
    undefined,
    "Device",
    "Device .",
    `Device ${deviceId}`,
    `Device ${deviceId}.`,
    `Device ${deviceId}.${"x".repeat(100)}`,
    `Bearer ${deviceId}.${renewedKey}`,
    toHeader(credential),
    toHeader(removed.credential),
    toHeader({ deviceId, actionKey: other.credential.actionKey }),
    toHeader({ deviceId: createMissingId(), actionKey: renewedKey }),
  ];
  const body = { act: "read", notificationIds: [id] };
  const responses = [];
  for (const authorization of headers) {
    responses.push(
      await requestAct(app, authorization === undefined ? { body } : { authorization, body }),
    );
  }
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [UNAUTHENTICATED.status]);
  assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
  assert.notEqual(actionKey, renewedKey);
  assert.deepEqual(await listUnreadIds(ann), [id]);
  await markRead(app, { deviceId, actionKey: renewedKey }, [id]);
});

test("a suspended person's device may not act", async (t) => {
  const { app, ann, credential } = await setUp(t);
  const id = await send(ann);
  const { db } = app.app.context.database;
  const setSuspendedAt = (suspendedAt: number | null) =>
    db.updateTable("account").set({ suspended_at: suspendedAt }).execute();
  await setSuspendedAt(Date.now());
  await assert.rejects(markRead(app, credential, [id]), UNAUTHENTICATED);
  await setSuspendedAt(null);
  await markRead(app, credential, [id]);
});

test("a device's action key authenticates no other request", async (t) => {
  const { app, credential } = await setUp(t);
  const authorization = `Device ${credential.deviceId}.${credential.actionKey}`;
  for (const path of ["/api/app/v1/me", "/api/app/v1/feed", "/api/app/v1/devices"]) {
    const { status } = await sendRequest(app.url, { path, headers: { authorization } });
    assert.equal(status, UNAUTHENTICATED.status, path);
  }
});

test("a request with an unknown act, or without exactly the fields of its act, is refused", async (t) => {
  const { app, ann, credential } = await setUp(t);
  const id = await send(ann);
  const authorization = `Device ${credential.deviceId}.${credential.actionKey}`;
  const notificationIds = [id];
  // An act names at most 50 notifications.
  const tooManyIds = Array.from({ length: 51 }, () => id);
  const invalidBodies: readonly (readonly [body: unknown, field: string])[] = [
    [{}, "act"],
    [{ notificationIds }, "act"],
    [{ act: "erase", notificationIds }, "act"],
    [{ act: "answer", notificationIds }, "promptId"],
    [{ act: "answer", promptId: id }, "answer"],
    [{ act: "read" }, "notificationIds"],
    [{ act: "read", notificationIds: [] }, "notificationIds"],
    [{ act: "read", notificationIds: id }, "notificationIds"],
    [{ act: "read", notificationIds: tooManyIds }, "notificationIds"],
    [{ act: "read", notificationIds, incidentId: id }, "incidentId"],
    [{ act: "read", notificationIds, accountId: ann.accountId }, "accountId"],
  ];
  for (const [body, field] of invalidBodies) {
    const { status, text } = await requestAct(app, { authorization, body });
    assert.equal(status, 400, text);
    assert.equal(JSON.parse(text).error.field, field, text);
  }
  assert.deepEqual(await listUnreadIds(ann), [id]);
});

test("the rate of acts is limited for each device", async (t) => {
  const { app, ann, credential } = await setUp(t, {
    TOCSIN_RATE_LIMIT_PER_S: "1",
    TOCSIN_RATE_LIMIT_BURST: "3",
  });
  const other = await addDevice(app, ann, "Tablet");
  const id = await send(ann);
  const readRepeatedly = async () => {
    for (let count = 0; count < 100; count += 1) await markRead(app, credential, [id]);
  };
  await assert.rejects(readRepeatedly(), RATE_LIMITED);
  const { deviceId } = credential;
  await assert.rejects(markRead(app, { deviceId, actionKey: "wrong" }, [id]), UNAUTHENTICATED);
  await markRead(app, other.credential, [id]);
});
