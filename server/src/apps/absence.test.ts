import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewNotification } from "#delivery/delivery.ts";
import {
  awaitResults,
  awaitWait,
  deliverTo,
  findJob,
  startDelivery,
} from "../../test/support/app-delivery.ts";
import { addApp, createAppFixture, openStream } from "../../test/support/app-fixture.ts";

const MINUTE_MS = 60_000;
const MESSAGE_COUNT = 12;
/** Two of the messages expire while the phone is off. */
const SHORT_LIFETIME_MS = 60 * MINUTE_MS;

test("a phone that was off for six hours has every message that has not expired within a second of its return", async (t) => {
  const fixture = await createAppFixture(t);
  const { context } = fixture;
  const delivering = startDelivery(t, fixture);
  const app = await addApp(fixture);
  const { stream } = await openStream(fixture, app);
  stream.end();
  const kept: NewNotification[] = [];
  const expired: NewNotification[] = [];
  for (let index = 0; index < MESSAGE_COUNT; index += 1) {
    const isShort = index % 6 === 0;
    const lifetime = isShort ? { expiresAt: context.now() + SHORT_LIFETIME_MS } : {};
    const notification = await deliverTo(delivering, fixture, [app], lifetime);
    await awaitWait(fixture, notification);
    (isShort ? expired : kept).push(notification);
  }
  const runs = await readRuns();
  for (let minute = 0; minute < 6 * 60; minute += 10) {
    context.clock.advance(10 * MINUTE_MS);
    await delivering.delivery.worker.claimDue();
    await delivering.delivery.worker.waitUntilIdle();
  }
  // Nothing was attempted meanwhile, and no job was planned anew.
  assert.equal(delivering.outcomes.length, MESSAGE_COUNT);
  assert.deepEqual(await readRuns(), runs);
  const startedAt = performance.now();
  const { connection } = await openStream(fixture, app);
  await connection.receives(kept.length);
  assert.ok(performance.now() - startedAt < 1_000);
  assert.deepEqual(
    connection.received.map(({ message }) => message.notificationId),
    kept.map(({ id }) => id),
  );
  for (const notification of kept) {
    const [result] = await awaitResults(fixture, notification);
    assert.equal(result?.detail, "answered");
  }
  for (const notification of expired) {
    assert.equal((await awaitResults(fixture, notification))[0]?.code, "expired");
  }

  /** Returns when the jobs of the kept messages run next. */
  async function readRuns() {
    return Promise.all(
      kept.map(async (notification) => (await findJob(fixture, notification))?.runAt),
    );
  }
});
