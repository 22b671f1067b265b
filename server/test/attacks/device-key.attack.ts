import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test, { type TestContext } from "node:test";
import type { DeviceCredential } from "@tocsin/sdk";
import { send } from "../contract/http-requests.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { chooseSize, reportFigure } from "./bar.ts";

const GUESS_COUNT = chooseSize({ short: 200, full: 5_000 });

/** Starts an app with a victim who has a device and an unread notification. */
async function setUp(t: TestContext) {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const victim = await signUp(app, "Vera");
  const { device } = await addDevice(app, victim);
  const message = { title: "Disk full", body: "db-1" };
  const notificationId = getNotificationId(await victim.client.notify(message));
  return { app, victim, victimDeviceId: device.id, notificationId };
}

/** Marks a notification as read with a device's action key; returns the response without its request id. */
async function markRead(
  { url }: TestApp,
  { deviceId, actionKey }: DeviceCredential,
  notificationId: string,
) {
  const { status, text } = await send(url, {
    method: "POST",
    path: "/api/app/v1/acts",
    headers: { authorization: `Device ${deviceId}.${actionKey}` },
    body: { act: "read", notificationIds: [notificationId] },
  });
  return { status, text: text.replace(/"requestId":"[^"]+"/, "") };
}

async function assertUnread({ client }: TestPerson, by: string): Promise<void> {
  const { items } = await client.feed.list({ unread: true });
  assert.equal(items.length, 1, `The notification was marked by ${by}.`);
}

/** Suspends an account in the database; null ends the suspension. */
async function setSuspended(
  { app }: TestApp,
  { accountId }: TestPerson,
  suspendedAt: number | null,
) {
  const { db } = app.context.database;
  await db
    .updateTable("account")
    .set({ suspended_at: suspendedAt })
    .where("id", "=", accountId)
    .execute();
}

test("the key of another account's device marks nothing as read", async (t) => {
  const { app, victim, victimDeviceId, notificationId } = await setUp(t);
  const attacker = await signUp(app, "Eve");
  const { credential } = await addDevice(app, attacker);
  const foreign = await markRead(app, credential, notificationId);
  const missing = await markRead(app, credential, app.app.context.newId());
  assert.deepEqual([foreign.status, foreign.text], [404, missing.text]);
  const borrowed = await markRead(app, { ...credential, deviceId: victimDeviceId }, notificationId);
  assert.equal(borrowed.status, 401, borrowed.text);
  await assertUnread(victim, "the key of another account's device");
});

test("the key of a removed device or a suspended person marks nothing as read, and looks like a guessed one", async (t) => {
  const { app, victim, victimDeviceId, notificationId } = await setUp(t);
  const removed = await addDevice(app, victim, "Old");
  const suspended = await addDevice(app, victim, "New");
  await victim.client.devices.remove(removed.device.id);
  const refusals = [await markRead(app, removed.credential, notificationId)];
  await assertUnread(victim, "the key of a removed device");
  await setSuspended(app, victim, Date.now());
  refusals.push(await markRead(app, suspended.credential, notificationId));
  await setSuspended(app, victim, null);
  await assertUnread(victim, "the key of a suspended person's device");
  for (let count = 0; count < GUESS_COUNT; count += 1) {
    const deviceId = count % 2 === 0 ? victimDeviceId : app.app.context.newId();
    const actionKey = randomBytes(16).toString("base64url");
    refusals.push(await markRead(app, { deviceId, actionKey }, notificationId));
  }
  await assertUnread(victim, "a guessed key");
  assert.deepEqual([...new Set(refusals.map((refusal) => refusal.status))], [401]);
  assert.equal(new Set(refusals.map((refusal) => refusal.text)).size, 1);
  assert.equal((await markRead(app, suspended.credential, notificationId)).status, 200);
  reportFigure(t, `${refusals.length} refused keys, 0 notifications marked, 1 kind of response`);
});
