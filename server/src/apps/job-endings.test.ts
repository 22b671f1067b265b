import assert from "node:assert/strict";
import { test } from "node:test";
import {
  awaitResults,
  awaitWait,
  deliverTo,
  startDelivery,
} from "../../test/support/app-delivery.ts";
import { addApp, createAppFixture, openStream } from "../../test/support/app-fixture.ts";

test("the removal of an app ends its waits at once, and those of no other", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const other = await addApp(fixture, { accountId: app.accountId });
  const notification = await deliverTo(delivering, fixture, [app]);
  const kept = await deliverTo(delivering, fixture, [other]);
  await awaitWait(fixture, notification);
  await awaitWait(fixture, kept);
  await fixture.signIn.remove(app);
  const [result] = await awaitResults(fixture, notification);
  assert.deepEqual([result?.deviceId, result?.state], [app.deviceId, "cancelled"]);
  await awaitWait(fixture, kept);
  // A change of an app that stays, such as a pause, ends none.
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
