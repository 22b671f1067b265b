import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import {
  addApp,
  createAppFixture,
  openStream,
  TestNodes,
  type AppFixture,
} from "../../test/support/app-fixture.ts";
import { createDeliveryNode } from "../../test/support/delivery-bench.ts";
import { eventually } from "../../test/support/eventually.ts";
import { createNotification } from "../../test/support/notifications.ts";
import { createPendingDevices, getWaitState, type NewNotification } from "#delivery/delivery.ts";
import { explainFinalResult, explainWaiting } from "#delivery/explain.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { decodePending } from "#delivery/store/tuples.ts";
import type { Outcome, Provider } from "#providers/provider.ts";
import { findResults } from "#notifications/log/store.ts";
import type { SignedInApp } from "./app.ts";

/** Returns a delivery module for the apps of a fixture, and the outcomes of its attempts. */
function startDelivery(
  t: TestContext,
  { context, apps }: AppFixture,
  {
    nodeId = "node-1",
    afterSend = async () => {},
  }: { nodeId?: string; afterSend?: () => Promise<void> } = {},
) {
  const outcomes: Outcome[] = [];
  const provider: Provider = {
    ...apps.provider,
    async send(message, address, signal) {
      const outcome = await apps.provider.send(message, address, signal);
      outcomes.push(outcome);
      await afterSend();
      return outcome;
    },
  };
  const delivery = createDeliveryNode({ context, providers: [provider], nodeId });
  apps.jobsDue.add(delivery.announceDueJobs);
  t.after(() => delivery.worker.stop(0));
  return { delivery, outcomes };
}

type Delivering = ReturnType<typeof startDelivery>;

/** Sends a notification to apps of one account. */
async function sendTo(
  { delivery }: Delivering,
  { context }: AppFixture,
  apps: readonly SignedInApp[],
  overrides: Partial<NewNotification> = {},
): Promise<NewNotification> {
  const accountId = apps[0]?.accountId ?? "";
  const notification = createNotification(context, accountId, {
    deviceCount: apps.length,
    ...overrides,
  });
  const pending = createPendingDevices(
    apps.map(({ deviceId }) => deviceId),
    0,
  );
  const work = { kind: "devices", pending } as const;
  const request = { notification, lane: 0, work, idempotency: null } as const;
  await delivery.accept({ request, extraRows: [], targets: null });
  return notification;
}

async function findJob({ context }: AppFixture, { id }: NewNotification) {
  const row = await context.database.db
    .selectFrom("send_job")
    .select(["run_at", "owner", "pending"])
    .where("notification_id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { runAt: row.run_at, owner: row.owner, pending: decodePending(row.pending ?? "[]") };
}

/** Resolves with the results of a notification once its job has ended. */
async function awaitResults(fixture: AppFixture, notification: NewNotification) {
  await eventually(
    () => findJob(fixture, notification),
    (job) => job === null,
  );
  return findResults(fixture.context, { notificationId: notification.id, limit: 10 });
}

/** Resolves once the job of a notification waits for an app. */
async function awaitWait(fixture: AppFixture, notification: NewNotification) {
  const job = await eventually(
    () => findJob(fixture, notification),
    (found) => found?.owner === "" && found.pending.some(({ waitsFor }) => waitsFor !== null),
  );
  assert.ok(job !== null && job !== undefined);
  return job;
}

test("an app that answers is accepted at once, with its proof", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  await openStream(fixture, app);
  const notification = await sendTo(delivering, fixture, [app]);
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
  const notification = await sendTo(delivering, fixture, [app]);
  const { runAt, pending } = await awaitWait(fixture, notification);
  assert.equal(runAt, notification.expiresAt);
  const [device] = pending;
  assert.ok(device !== undefined);
  assert.equal(getWaitState(device), "held");
  assert.equal(device.attempts, 0);
  const explained = { client: "ntfy", deviceName: "Pixel" } as const;
  assert.equal(
    explainWaiting(device, { provider: "stream", lifetime: notification, app: explained }),
    "Waiting for the ntfy app on Pixel, which has not connected yet. Kept until 2026-01-02T00:00:00.000Z.",
  );
  // It is no push service: nothing probes it, and nobody is told of it.
  assert.deepEqual(await createDeliveryStore(context, "node-1").listAwaitedServices(10), []);
  assert.deepEqual(await delivery.countWaitingJobs(), new Map());
  assert.deepEqual(delivery.listHeldServices(), []);
  for (let hour = 1; hour < 24; hour += 1) {
    context.clock.advance(3_600_000);
    await delivery.worker.claimDue();
  }
  await delivery.worker.waitUntilIdle();
  assert.equal(outcomes.length, 1);
  context.clock.advance(3_600_000);
  await delivery.worker.claimDue();
  const [result] = await awaitResults(fixture, notification);
  assert.ok(result !== undefined);
  assert.equal(
    explainFinalResult(result, notification),
    "Not delivered before it expired (1 d). Last problem: the app did not connect.",
  );
  assert.equal(outcomes.length, 1);
});

test("the proof ends the wait of its app at once, and of no other", async (t) => {
  const fixture = await createAppFixture(t);
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const other = await addApp(fixture, { accountId: app.accountId });
  const notification = await sendTo(delivering, fixture, [app, other]);
  await awaitWait(fixture, notification);
  fixture.context.clock.advance(60_000);
  await openStream(fixture, app);
  const job = await eventually(
    () => findJob(fixture, notification),
    (found) => found?.owner === "" && found.pending.length === 1,
  );
  assert.equal(job?.pending[0]?.deviceId, other.deviceId);
  assert.equal(job?.runAt, notification.expiresAt);
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
      await fixture.apps.streams.fetch(app, { ...poll, since: { kind: "all" } });
    },
  });
  const notification = await sendTo(delivering, fixture, [app]);
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
  const notification = await sendTo(delivering, fixture, [app], { channel: "news" });
  const [result] = await awaitResults(fixture, notification);
  assert.ok(result !== undefined);
  assert.deepEqual([result.state, result.code], ["skipped", "not_subscribed"]);
  assert.equal(explainFinalResult(result, notification), "The app listens to backups only.");
  // A later poll for another topic adds its channel.
  await fixture.apps.streams.fetch(app, {
    subscriptions: [{ topic: "news", channel: "news" }],
    since: { kind: "owed" },
    matches: () => true,
    notificationId: null,
  });
  await awaitWait(fixture, await sendTo(delivering, fixture, [app], { channel: "news" }));
  await awaitWait(fixture, await sendTo(delivering, fixture, [app], { channel: "backups" }));
});

test("an app without an answer is waited for once, until it answers again", async (t) => {
  const fixture = await createAppFixture(t);
  const { timers } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const { connection, stream } = await openStream(fixture, app, { answers: false });
  const first = await sendTo(delivering, fixture, [app]);
  await connection.receives(1);
  assert.equal(delivering.outcomes.length, 0);
  timers.advance(3_000);
  await awaitWait(fixture, first);
  const second = await sendTo(delivering, fixture, [app]);
  await awaitWait(fixture, second);
  await connection.receives(2);
  stream.confirm(2);
  for (const notification of [first, second]) {
    const [result] = await awaitResults(fixture, notification);
    assert.equal(result?.detail, "answered");
  }
  connection.onPing = (number) => stream.confirm(number);
  const third = await sendTo(delivering, fixture, [app]);
  assert.equal((await awaitResults(fixture, third))[0]?.history, undefined);
});

test("a proof right before an earlier process died ends the wait at the start", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const notification = await sendTo(delivering, fixture, [app]);
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
  const notification = await sendTo(delivering, fixture, [app]);
  await awaitWait(fixture, notification);
  await context.database.db
    .updateTable("mailbox")
    .set({ taken_at: context.now(), how: "answered" })
    .execute();
  context.clock.advance(86_400_001);
  await delivering.delivery.worker.claimDue();
  assert.equal((await awaitResults(fixture, notification))[0]?.state, "accepted");
});

test("an app on another node answers, and a lost hint is found at the next heartbeat", async (t) => {
  const nodes = new TestNodes();
  const sender = await createAppFixture(t, { node: nodes.createNode("node-1") });
  const holder = await createAppFixture(t, {
    context: sender.context,
    node: nodes.createNode("node-2"),
  });
  const delivering = startDelivery(t, sender);
  const app = await addApp(sender);
  const { connection } = await openStream(holder, app);
  const first = await sendTo(delivering, sender, [app]);
  assert.equal((await awaitResults(sender, first))[0]?.history, undefined);
  nodes.isConnected = false;
  const second = await sendTo(delivering, sender, [app]);
  await eventually(
    async () => sender.timers.count,
    (count) => count === 1,
  );
  assert.deepEqual(connection.numbers, [1]);
  await holder.apps.checkMailboxes();
  await connection.receives(2);
  // The answer is lost, too. The wait for it ends, and the job looks once more.
  sender.timers.advance(3_000);
  const [result] = await awaitResults(sender, second);
  assert.equal(result?.detail, "answered");
  assert.equal(delivering.outcomes.at(-1)?.kind, "kept");
});

test("the streams of a dead node are forgotten, so that nobody waits for its apps", async (t) => {
  const nodes = new TestNodes();
  const sender = await createAppFixture(t, { node: nodes.createNode("node-1") });
  const holder = await createAppFixture(t, {
    context: sender.context,
    node: nodes.createNode("node-2"),
  });
  const delivering = startDelivery(t, sender);
  const app = await addApp(sender);
  await openStream(holder, app, { answers: false });
  await sender.apps.takeOver(["node-2"]);
  const notification = await sendTo(delivering, sender, [app]);
  const { pending } = await awaitWait(sender, notification);
  assert.match(pending[0]?.detail ?? "", /^last connected at /);
});
