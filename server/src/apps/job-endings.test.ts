import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import {
  awaitResults,
  awaitWait,
  deliverTo,
  startDelivery,
} from "../../test/support/app-delivery.ts";
import {
  addApp,
  APP_ORIGIN,
  createAppFixture,
  fetchPage,
  openStream,
  sendTo,
} from "../../test/support/app-fixture.ts";
import { runWorkerOnce } from "../../test/support/delivery-bench.ts";
import { createNotification } from "../../test/support/notifications.ts";

test("the removal of an app ends the waits for it at once, and for no other app", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const other = await addApp(fixture, { accountId: app.accountId });
  const notification = await deliverTo(delivering, fixture, [app]);
  const kept = await deliverTo(delivering, fixture, [other]);
  await awaitWait(fixture, notification);
  await awaitWait(fixture, kept);
  await fixture.signIn.remove(app, APP_ORIGIN);
  const [result] = await awaitResults(fixture, notification);
  assert.deepEqual([result?.deviceId, result?.state], [app.deviceId, "cancelled"]);
  await awaitWait(fixture, kept);
  // A change of an app that stays, such as a pause, ends no wait.
  fixture.apps.reviewDevice(other.deviceId);
  await awaitWait(fixture, kept);
});

test("an answer right after the expiry proves a message that was written before it", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const notification = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, notification);
  context.clock.advance(notification.expiresAt - context.now() - 10);
  const { connection, stream } = await openStream(fixture, app, { answers: false });
  await connection.receives(1);
  context.clock.advance(20);
  await delivering.delivery.worker.claimDue();
  await delivering.delivery.worker.waitUntilIdle();
  stream.confirm(1);
  const [result] = await awaitResults(fixture, notification);
  assert.deepEqual([result?.state, result?.detail], ["accepted", "answered"]);
});

test("the delivery log says `fetched` for earlier messages that a paused app fetches", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const first = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, first);
  const second = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, second);
  await context.database.db
    .updateTable("device")
    .set({ paused_at: context.now() })
    .where("id", "=", app.deviceId)
    .execute();
  const seen = await fetchPage(fixture, app, { channel: null, before: null, limit: 1 });
  assert.deepEqual(
    seen.map(({ notificationId }) => notificationId),
    [second.id],
  );
  await awaitResults(fixture, second);
  // The proof of the second message made the job of the first one due, too.
  await delivering.delivery.worker.waitUntilIdle();
  const rest = await fetchPage(fixture, app, { channel: null, before: 2, limit: 10 });
  assert.deepEqual(
    rest.map(({ notificationId }) => notificationId),
    [first.id],
  );
  const [result] = await awaitResults(fixture, first);
  assert.deepEqual([result?.state, result?.detail], ["accepted", "fetched"]);
  // A message that comes during the pause is not put.
  const third = await deliverTo(delivering, fixture, [app]);
  assert.equal((await awaitResults(fixture, third))[0]?.code, "paused");
});

test("a chunk that is read again after its expiry says `fetched` for an app that fetched its message", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const { delivery } = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const notification = createNotification(context, app.accountId, { deviceCount: 1 });
  const work = { kind: "range", range: { after: "", upTo: "" } } as const;
  const request = { notification, lane: 2, work, idempotency: null, takeLease: false } as const;
  await createDeliveryStore(context, "node-2").accept([request]);
  // The process that put the message died before it recorded a result.
  await sendTo(fixture, app, notification);
  await fetchPage(fixture, app, { channel: null, before: null, limit: 10 });
  context.clock.advance(notification.expiresAt - context.now() + 1);
  await runWorkerOnce(delivery.worker);
  const [result] = await awaitResults(fixture, notification);
  assert.deepEqual([result?.state, result?.detail], ["accepted", "fetched"]);
});
