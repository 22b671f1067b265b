import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { DeliveryModel } from "../../../test/ports/delivery-model.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { RecoveryScheduler } from "./recovery-scheduler.ts";
import { createPendingDevices } from "../delivery.ts";

const HOUR_MS = 3_600_000;
const STEP_MS = 250;
const log = pino({ level: "silent" });

/** Returns an in-memory queue with `jobs` jobs of `devices` devices each, which wait for a service. */
async function setUp(t: TestContext, { jobs, devices = 1 }: { jobs: number; devices?: number }) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const elapsed = { ms: 0 };
  const store = new DeliveryModel(() => 0, "node-1");
  let lastId = 0;
  const context = { now: () => 0, newId: () => String((lastId += 1)) };
  const names = Array.from({ length: devices }, (_, index) => `d${index}`);
  const pending = createPendingDevices(names, HOUR_MS).map((device) => {
    return { ...device, waitsFor: { service: "fcm", epoch: "node-1 0" } };
  });
  const addJob = async () => {
    const notification = createNotification(context, "ann");
    const work = { kind: "devices", pending } as const;
    const request = { notification, lane: 1, work, idempotency: null, takeLease: true } as const;
    const [accepted] = await store.accept([request]);
    assert.ok(accepted?.kind === "accepted" && accepted.job !== null);
    const next = { kind: "retry", pending, at: HOUR_MS, waitsFor: ["fcm"] } as const;
    const { lease } = accepted.job;
    const ids = { id: context.newId(), lease, notificationId: notification.id };
    await store.settle([{ ...ids, results: [], deviceStateUpdate: null, next }]);
  };
  for (let index = 0; index < jobs; index += 1) await addJob();
  let dueCalls = 0;
  const onDue = () => (dueCalls += 1);
  const recoveryScheduler = new RecoveryScheduler({ store, log, elapsed: () => elapsed.ms, onDue });
  t.after(() => recoveryScheduler.stop());
  return {
    store,
    recoveryScheduler,
    addJob,
    countDueCalls: () => dueCalls,
    countReleased: async () => (await store.getQueueStats()).due,
    /** Advances the mocked timers and the monotonic clock. */
    advance: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        elapsed.ms += STEP_MS;
        t.mock.timers.tick(STEP_MS);
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("a small backlog is released immediately", async (t) => {
  const { recoveryScheduler, advance, countReleased, countDueCalls } = await setUp(t, { jobs: 40 });
  recoveryScheduler.begin("fcm", 0);
  await advance(0);
  assert.equal(await countReleased(), 40);
  assert.equal(countDueCalls(), 1);
});

test("a large backlog is released slowly at first, and completely in the end", async (t) => {
  const { recoveryScheduler, advance, countReleased } = await setUp(t, { jobs: 3_000 });
  recoveryScheduler.begin("fcm", 100);
  await advance(10_000);
  const releasedAtFirst = await countReleased();
  assert.ok(releasedAtFirst > 200 && releasedAtFirst < 350, `${releasedAtFirst} in ten seconds`);
  await advance(50_000);
  const releasedInMinute = await countReleased();
  assert.ok(releasedInMinute > 2_500, `${releasedInMinute} in a minute`);
  await advance(10_000);
  assert.equal(await countReleased(), 3_000);
});

test("jobs with many devices count by their devices", async (t) => {
  const { recoveryScheduler, advance, countReleased } = await setUp(t, { jobs: 20, devices: 500 });
  recoveryScheduler.begin("fcm", 100);
  await advance(10_000);
  assert.equal(await countReleased(), 1);
});

test("a service that is held again releases no more jobs until it recovers", async (t) => {
  const { recoveryScheduler, advance, countReleased } = await setUp(t, { jobs: 1_000 });
  recoveryScheduler.begin("fcm", 100);
  await advance(5_000);
  recoveryScheduler.end("fcm");
  const countBefore = await countReleased();
  await advance(20_000);
  assert.equal(await countReleased(), countBefore);
  recoveryScheduler.begin("fcm", 100);
  // A second call changes nothing.
  recoveryScheduler.begin("fcm", 100);
  await advance(0);
  assert.equal(await countReleased(), countBefore + 50);
});

test("a job that begins to wait during the last step is released too", async (t) => {
  const { store, recoveryScheduler, addJob, advance, countReleased } = await setUp(t, { jobs: 1 });
  const release = store.releaseWaiting.bind(store);
  let steps = 0;
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    const result = await release(input);
    steps += 1;
    if (steps > 1) return result;
    // The step under way has not seen this job.
    await addJob();
    recoveryScheduler.begin("fcm", 0);
    return result;
  });
  recoveryScheduler.begin("fcm", 0);
  await advance(STEP_MS);
  assert.deepEqual([await countReleased(), steps], [2, 2]);
});

test("a failure of the database postpones one step", async (t) => {
  const { store, recoveryScheduler, advance, countReleased } = await setUp(t, { jobs: 40 });
  const failingRelease = t.mock.method(store, "releaseWaiting", async () => {
    throw new Error("no connection");
  });
  recoveryScheduler.begin("fcm", 0);
  await advance(0);
  assert.equal(await countReleased(), 0);
  failingRelease.mock.restore();
  await advance(STEP_MS);
  assert.equal(await countReleased(), 40);
});

test("a release that ends during a step begins no other step", async (t) => {
  const { store, recoveryScheduler, advance, countReleased } = await setUp(t, { jobs: 1_000 });
  const release = store.releaseWaiting.bind(store);
  const mayContinue = Promise.withResolvers<void>();
  let steps = 0;
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    steps += 1;
    await mayContinue.promise;
    return release(input);
  });
  recoveryScheduler.begin("fcm", 100);
  recoveryScheduler.end("fcm");
  mayContinue.resolve();
  await advance(20_000);
  assert.deepEqual([steps, await countReleased()], [1, 50]);
  await recoveryScheduler.stop();
  recoveryScheduler.begin("fcm", 100);
  await advance(1_000);
  assert.equal(steps, 1);
});

test("a step releases a thousand devices at most", async (t) => {
  const { store, recoveryScheduler, advance } = await setUp(t, { jobs: 1_500 });
  const release = store.releaseWaiting.bind(store);
  const limits: number[] = [];
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    limits.push(input.max);
    // The database is unavailable until enough time has passed to release everything.
    if (limits.length < 100) throw new Error("no connection");
    return release(input);
  });
  recoveryScheduler.begin("fcm", 1_000);
  await advance(30_000);
  assert.equal(limits[99], 1_000);
});
