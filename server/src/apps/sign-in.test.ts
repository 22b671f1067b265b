import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { APP_ORIGIN } from "../../test/support/app-fixture.ts";
import { createRoomContext, insertAccount, type RoomContext } from "../../test/support/context.ts";
import { waitForLockWaiters } from "../../test/support/lock-waiters.ts";
import { readAuditText, readRecordedEvents } from "../../test/support/recorded-events.ts";
import { OPERATOR } from "#audit/event.ts";
import type { AppError } from "#errors.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import type { AppClient } from "./app.ts";
import { createAppSignIn } from "./create-sign-in.ts";
import { createAppPrunes } from "./prune.ts";
import { hashSecret } from "./secret.ts";
import { insertSecretQuery } from "./store/apps.ts";
import { deleteAppsOfAccountQueries, deleteAppsOfRemovedDevices } from "./store/removal.ts";

async function createFixture(t: TestContext) {
  const context = await createRoomContext(t);
  const endedSecrets: string[] = [];
  const changedDevices: string[] = [];
  const signIn = createAppSignIn({
    context,
    notices: null,
    onDeviceChanged: ({ deviceId }) => changedDevices.push(deviceId),
    endStreamsOfSecret: (credentialId) => endedSecrets.push(credentialId),
  });
  const accountId = await insertAccount(context);
  const add = (client: AppClient = "ntfy", name = "Pixel") =>
    signIn.add({ accountId, client, name, platform: "android", actor: OPERATOR });
  return { context, signIn, accountId, add, endedSecrets, changedDevices };
}

test("an app password signs its app in, whatever its case and hyphens", async (t) => {
  const { signIn, add, changedDevices } = await createFixture(t);
  const { app, device, secret, topic } = await add();
  assert.match(secret, /^[2-9a-hj-np-z]{4}(?:-[2-9a-hj-np-z]{4}){3}$/);
  assert.match(topic, /^all-[a-z0-9]{10}$/);
  assert.deepEqual(device.address, { provider: "stream", client: "ntfy", deviceId: device.id });
  assert.equal(app.deviceId, device.id);
  assert.deepEqual(changedDevices, [device.id]);
  for (const typed of [secret, secret.toUpperCase(), secret.replaceAll("-", "")]) {
    assert.deepEqual(await signIn.find(typed), app);
  }
  assert.equal(await signIn.getOwnTopic(app), topic);
  for (const wrong of ["", secret.slice(1), `${secret}2`, `${secret.slice(0, -1)}1`, "tk_x"]) {
    assert.equal(await signIn.find(wrong), null, wrong);
  }
});

test("a Gotify app has a client token, and a token for ntfy is a second secret of the same app", async (t) => {
  const { signIn, add } = await createFixture(t);
  const { app, secret } = await add("gotify");
  assert.match(secret, /^C[\w-]{43}$/);
  assert.deepEqual(await signIn.find(secret), app);
  const token = await signIn.addToken(app, "Home Assistant", APP_ORIGIN);
  assert.match(token, /^tk_[a-z0-9]{29}$/);
  const found = await signIn.find(token);
  assert.equal(found?.deviceId, app.deviceId);
  assert.notEqual(found?.credentialId, app.credentialId);
});

test("the end of one secret leaves the app's other secrets valid, and the removal of the app leaves none", async (t) => {
  const { signIn, add, endedSecrets } = await createFixture(t);
  const { app, secret } = await add();
  const token = await signIn.addToken(app, "Home Assistant", APP_ORIGIN);
  const tokenApp = await signIn.find(token);
  assert.ok(tokenApp !== null);
  await signIn.endSecret(tokenApp, APP_ORIGIN);
  assert.deepEqual(endedSecrets, [tokenApp.credentialId]);
  assert.equal(await signIn.find(token), null);
  assert.deepEqual(await signIn.find(secret), app);
  await signIn.remove(app, APP_ORIGIN);
  assert.equal(await signIn.find(secret), null);
});

test("the audit log records once what an app does with its secrets, and from where", async (t) => {
  const { context, signIn, add } = await createFixture(t);
  const { app } = await add();
  const tokenApp = await signIn.find(await signIn.addToken(app, "Home Assistant", APP_ORIGIN));
  assert.ok(tokenApp !== null);
  await signIn.endSecret(tokenApp, APP_ORIGIN);
  await signIn.endSecret(tokenApp, APP_ORIGIN);
  await signIn.remove(app, APP_ORIGIN);
  const [added, ...events] = await readRecordedEvents(context);
  // The event of the device stands for its first secret.
  assert.deepEqual([added?.action, added?.subjectId], ["device_added", app.deviceId]);
  const { accountId, deviceId } = app;
  assert.deepEqual(
    events.map(({ action, subjectId }) => [action, subjectId]),
    [
      ["app_secret_made", tokenApp.credentialId],
      ["app_secret_revoked", tokenApp.credentialId],
      ["device_removed", deviceId],
    ],
  );
  for (const { actor, address, userAgent, accountId: affectedId } of events) {
    assert.deepEqual(
      [actor.kind, actor.accountId, actor.credentialId, address, userAgent, affectedId],
      ["device", accountId, deviceId, "203.0.113.7", "Firefox on Linux", accountId],
    );
  }
  const text = await readAuditText(context);
  assert.ok(!text.includes("Home Assistant"));
});

test("a suspended owner's apps cannot sign in", async (t) => {
  const { context, signIn, accountId, add } = await createFixture(t);
  const { secret } = await add();
  await context.database.db
    .updateTable("account")
    .set({ suspended_at: context.now() })
    .where("id", "=", accountId)
    .execute();
  assert.equal(await signIn.find(secret), null);
});

test("secrets are stored as hashes, and at most 100 for an account", async (t) => {
  const { context, signIn, add } = await createFixture(t);
  const { app, secret } = await add();
  const [row] = await context.database.db.selectFrom("app_secret").selectAll().execute();
  assert.equal(row?.secret_hash, hashSecret(secret));
  assert.ok(!JSON.stringify(row).includes(secret));
  for (let count = 1; count < 100; count += 1) await signIn.addToken(app, "x", APP_ORIGIN);
  await assert.rejects(
    signIn.addToken(app, "x", APP_ORIGIN),
    (error: AppError) => error.code === "conflict",
  );
  await assert.rejects(add(), (error: AppError) => error.code === "conflict");
});

/** Counts the rows of all tables of apps. */
async function countRows({ database: { db } }: RoomContext) {
  const countTable = async (table: "connected_app" | "app_secret" | "mailbox") => {
    const { count } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  return {
    apps: await countTable("connected_app"),
    secrets: await countTable("app_secret"),
    messages: await countTable("mailbox"),
  };
}

async function insertMessage({ database: { db } }: RoomContext, deviceId: string, id: string) {
  await db
    .insertInto("mailbox")
    .values({
      device_id: deviceId,
      number: 1,
      notification_id: id,
      expires_at: 1,
      put_at: 1,
      taken_at: null,
      how: null,
      removed_at: null,
    })
    .execute();
}

test("the removal of a device and the end of an account delete the app's rows", async (t) => {
  const { context, accountId, add } = await createFixture(t);
  const { app } = await add();
  await add("ntfy", "Other");
  await insertMessage(context, app.deviceId, context.newId());
  const [, pruneApps] = createAppPrunes(async () => 30);
  assert.equal(await pruneApps?.(context, 10), 0);
  await removeDevice(context, { accountId, deviceId: app.deviceId, actor: OPERATOR });
  assert.equal(await pruneApps?.(context, 10), 1);
  assert.deepEqual(await countRows(context), { apps: 1, secrets: 1, messages: 0 });
  await context.database.atomically(deleteAppsOfAccountQueries(context, accountId));
  assert.deepEqual(await countRows(context), { apps: 0, secrets: 0, messages: 0 });
});

test("a message without its notification is deleted after the retention", async (t) => {
  const { context, add } = await createFixture(t);
  const { app } = await add();
  await insertMessage(context, app.deviceId, context.newId());
  const retentionDays = 30;
  const [pruneMailbox] = createAppPrunes(async () => retentionDays);
  context.clock.advance(retentionDays * DAY_MS);
  assert.equal(await pruneMailbox?.(context, 10), 0);
  context.clock.advance(1_000);
  assert.equal(await pruneMailbox?.(context, 10), 1);
  assert.deepEqual(await countRows(context), { apps: 1, secrets: 1, messages: 0 });
});

test("a token of an app that was removed meanwhile is refused, and leaves nothing behind", async (t) => {
  const { context, signIn, add } = await createFixture(t);
  const { app } = await add();
  await signIn.remove(app, APP_ORIGIN);
  await deleteAppsOfRemovedDevices(context, [app.deviceId]);
  await assert.rejects(
    signIn.addToken(app, "Home Assistant", APP_ORIGIN),
    (error: AppError) => error.code === "unauthenticated",
  );
  const secrets = await context.database.db.selectFrom("app_secret").select("id").execute();
  assert.deepEqual(secrets, []);
});

test("the removal of an app deletes a token that is being added", async (t) => {
  const { context, signIn, accountId, add } = await createFixture(t);
  const { database } = context;
  const { lockRows } = database.engine;
  if (lockRows === null) {
    t.skip("Only for PostgreSQL; SQLite has one transaction at a time.");
    return;
  }
  const { deviceId } = (await add()).app;
  const added = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  // As `addSecret` does.
  const adding = database.transaction(async (db) => {
    const app = db.selectFrom("connected_app").select("topic").where("device_id", "=", deviceId);
    await app.modifyEnd(lockRows).execute();
    const owner = { deviceId, accountId, kind: "token", label: null } as const;
    const row = { ...owner, id: "late", secretHash: "late" };
    await db.executeQuery(insertSecretQuery(context, row).compile());
    added.resolve();
    await gate.promise;
  });
  await added.promise;
  await removeDevice(context, { accountId, deviceId, actor: OPERATOR });
  const deletion = deleteAppsOfRemovedDevices(context, [deviceId]);
  await waitForLockWaiters(context);
  gate.resolve();
  await Promise.all([adding, deletion]);
  assert.deepEqual(await database.db.selectFrom("app_secret").select("id").execute(), []);
  assert.equal(await signIn.find("late"), null);
});
