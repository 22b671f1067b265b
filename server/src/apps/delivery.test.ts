import assert from "node:assert/strict";
import { test } from "node:test";
import {
  awaitResults,
  awaitWait,
  deliverTo,
  findJob,
  startDelivery,
} from "../../test/support/app-delivery.ts";
import {
  addApp,
  createAppFixture,
  fetchMessages,
  openStream,
} from "../../test/support/app-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import { createPendingDevices, getWaitState, PROOF_WAIT_MS } from "#delivery/delivery.ts";
import { explainFinalResult, explainWaiting } from "#delivery/explain.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { encodePending } from "#delivery/store/tuples.ts";

test("a message to an app that answers is accepted at once, with its proof", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  await openStream(fixture, app);
  const notification = await deliverTo(delivering, fixture, [app]);
  const [result] = await awaitResults(fixture, notification);
  assert.ok(result !== undefined);
  const { state, code, detail, attempts } = result;
  assert.deepEqual(
    { state, code, detail, attempts },
    {
      state: "accepted",
      code: "accepted",
      detail: "answered",
      attempts: 1,
    },
  );
  assert.equal(
    explainFinalResult(result, notification, { client: "ntfy", deviceName: "Pixel" }),
    "Received by the ntfy app, which answered at 2026-01-01T00:00:00.000Z.",
  );
});

test("the message to an app that is not connected is held without work until it expires", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const { delivery, outcomes } = delivering;
  const { context } = fixture;
  const app = await addApp(fixture);
  const notification = await deliverTo(delivering, fixture, [app]);
  const { runAt, pending } = await awaitWait(fixture, notification);
  assert.equal(runAt, notification.expiresAt + PROOF_WAIT_MS);
  const [device] = pending;
  assert.ok(device !== undefined);
  assert.equal(getWaitState(device), "held");
  assert.equal(device.attempts, 0);
  const explained = { client: "ntfy", deviceName: "Pixel" } as const;
  assert.equal(
    explainWaiting(device, { provider: "stream", lifetime: notification, app: explained }),
    "Waiting for the ntfy app on Pixel, which has not connected yet. Kept until 2026-01-02T00:00:00.000Z.",
  );
  // An app is no push service: nothing probes it, and nobody is told that it is held.
  assert.deepEqual(await createDeliveryStore(context, "node-1").listAwaitedServices(10), []);
  assert.deepEqual(await delivery.countWaitingJobs(), new Map());
  assert.deepEqual(delivery.listHeldServices(), []);
  for (let hour = 1; hour < 24; hour += 1) {
    context.clock.advance(3_600_000);
    await delivery.worker.claimDue();
  }
  await delivery.worker.waitUntilIdle();
  assert.equal(outcomes.length, 1);
  context.clock.advance(3_600_000 + PROOF_WAIT_MS);
  await delivery.worker.claimDue();
  const [result] = await awaitResults(fixture, notification);
  assert.ok(result !== undefined);
  assert.equal(
    explainFinalResult(result, notification),
    "Not delivered before it expired (1 d). Last problem: the app did not connect.",
  );
  assert.equal(outcomes.length, 1);
});

test("a proof ends the wait for its app at once, and for no other app", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const other = await addApp(fixture, { accountId: app.accountId });
  const notification = await deliverTo(delivering, fixture, [app, other]);
  await awaitWait(fixture, notification);
  fixture.context.clock.advance(60_000);
  await openStream(fixture, app);
  const job = await eventually(
    () => findJob(fixture, notification),
    (found) => found?.owner === "" && found.pending.length === 1,
  );
  assert.equal(job?.pending[0]?.deviceId, other.deviceId);
  assert.equal(job?.runAt, notification.expiresAt + PROOF_WAIT_MS);
  assert.equal(delivering.outcomes.length, 2);
  const { connection } = await openStream(fixture, other);
  await connection.receives(1);
  const results = await awaitResults(fixture, notification);
  assert.deepEqual(
    results.map(({ deviceId, state, detail }) => [deviceId, state, detail]),
    [
      [app.deviceId, "accepted", "answered"],
      [other.deviceId, "accepted", "answered"],
    ],
  );
  assert.deepEqual(
    results[0]?.history?.attempts.map(({ kind }) => kind),
    ["held", "accepted"],
  );
  // Nothing was put again.
  assert.equal(delivering.outcomes.length, 2);
  const waits = await fixture.context.database.db.selectFrom("send_job_wait").selectAll().execute();
  assert.deepEqual(waits, []);
});

test("a proof between the answer of the provider and the wait ends the wait", async (t) => {
  const fixture = await createAppFixture(t);
  const app = await addApp(fixture);
  const delivering = startDelivery(t, fixture, {
    async afterSend() {
      const subscriptions = [{ topic: "t", channel: null }];
      const poll = { subscriptions, matches: () => true, notificationId: null };
      await fetchMessages(fixture, app, { ...poll, since: { kind: "all" } });
    },
  });
  const notification = await deliverTo(delivering, fixture, [app]);
  const [result] = await awaitResults(fixture, notification);
  assert.equal(delivering.outcomes[0]?.kind, "kept");
  assert.equal(result?.detail, "fetched");
});

test("an app that listens to other channels is skipped, and one that never listened is owed", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const subscriptions = [{ topic: "backups", channel: "backups" }];
  const { stream } = await openStream(fixture, app, { subscriptions });
  stream.end();
  const notification = await deliverTo(delivering, fixture, [app], { channel: "news" });
  const [result] = await awaitResults(fixture, notification);
  assert.ok(result !== undefined);
  assert.deepEqual([result.state, result.code], ["skipped", "not_subscribed"]);
  assert.equal(explainFinalResult(result, notification), "The app listens to backups only.");
  // A later poll for another topic adds its channel.
  await fetchMessages(fixture, app, {
    subscriptions: [{ topic: "news", channel: "news" }],
    since: { kind: "owed" },
    matches: () => true,
    notificationId: null,
  });
  await awaitWait(fixture, await deliverTo(delivering, fixture, [app], { channel: "news" }));
  await awaitWait(fixture, await deliverTo(delivering, fixture, [app], { channel: "backups" }));
});

test("an attempt does not wait again for an app that left a message unanswered, until the app answers", async (t) => {
  const fixture = await createAppFixture(t);
  const { timers } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const { connection, stream } = await openStream(fixture, app, { answers: false });
  const first = await deliverTo(delivering, fixture, [app]);
  await connection.receives(1);
  assert.equal(delivering.outcomes.length, 0);
  timers.advance(3_000);
  await awaitWait(fixture, first);
  const second = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, second);
  await connection.receives(2);
  stream.confirm(2);
  for (const notification of [first, second]) {
    const [result] = await awaitResults(fixture, notification);
    assert.equal(result?.detail, "answered");
  }
  connection.onPing = (number) => stream.confirm(number);
  const third = await deliverTo(delivering, fixture, [app]);
  assert.equal((await awaitResults(fixture, third))[0]?.history, undefined);
});

test("a proof right before an earlier process died ends the wait at the start", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const notification = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, notification);
  await context.database.db
    .updateTable("mailbox")
    .set({ taken_at: context.now(), how: "answered" })
    .execute();
  await fixture.apps.takeOver(null);
  assert.equal((await awaitResults(fixture, notification))[0]?.state, "accepted");
});

test("a proof at the last moment counts, although the job runs after the expiry", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const notification = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, notification);
  await context.database.db
    .updateTable("mailbox")
    .set({ taken_at: context.now(), how: "answered" })
    .execute();
  context.clock.advance(DAY_MS + PROOF_WAIT_MS);
  await delivering.delivery.worker.claimDue();
  assert.equal((await awaitResults(fixture, notification))[0]?.state, "accepted");
});

test("a proof counts after the expiry, although the process died before it recorded an outcome", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const { db } = context.database;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const notification = await deliverTo(delivering, fixture, [app]);
  await awaitWait(fixture, notification);
  await db.updateTable("mailbox").set({ taken_at: context.now(), how: "answered" }).execute();
  // The job as it was while the server waited for the answer.
  const pending = encodePending(createPendingDevices([app.deviceId], 0));
  await db.deleteFrom("send_job_wait").execute();
  await db.updateTable("send_job").set({ pending }).execute();
  context.clock.advance(DAY_MS + PROOF_WAIT_MS + 1);
  await delivering.delivery.worker.claimDue();
  const [result] = await awaitResults(fixture, notification);
  assert.deepEqual([result?.state, result?.detail], ["accepted", "answered"]);
});
