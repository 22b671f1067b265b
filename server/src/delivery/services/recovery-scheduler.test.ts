import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { DeliveryModel } from "../../../test/ports/delivery-model.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { RecoveryScheduler } from "./recovery-scheduler.ts";
import { untried } from "../delivery.ts";

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
  const pending = untried(names, HOUR_MS).map((device) => {
    return { ...device, waitsFor: { service: "fcm", epoch: "node-1 0" } };
  });
  const addJob = async () => {
    const notification = notificationTo(context, "ann");
    const work = { kind: "devices", pending } as const;
    const request = { notification, lane: 1, work, idempotency: null, takeLease: true } as const;
    const [accepted] = await store.accept([request]);
    assert.ok(accepted?.kind === "accepted" && accepted.job !== null);
    const next = { kind: "retry", pending, at: HOUR_MS, waitsFor: ["fcm"] } as const;
    const { lease } = accepted.job;
    const ids = { id: context.newId(), lease, notificationId: notification.id };
    await store.settle([{ ...ids, results: [], news: null, next }]);
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
    dueCalls: () => dueCalls,
    released: async () => (await store.stats()).due,
    /** Advances the mocked timers and the monotonic clock. */
    pass: async (ms: number) => {
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
  const { recoveryScheduler, pass, released, dueCalls } = await setUp(t, { jobs: 40 });
  recoveryScheduler.begin("fcm", 0);
  await pass(0);
  assert.equal(await released(), 40);
  assert.equal(dueCalls(), 1);
});

test("a large backlog is released slowly at first, and completely in the end", async (t) => {
  const { recoveryScheduler, pass, released } = await setUp(t, { jobs: 3_000 });
  recoveryScheduler.begin("fcm", 100);
  await pass(10_000);
  const first = await released();
  assert.ok(first > 200 && first < 350, `${first} in ten seconds`);
  await pass(50_000);
  const minute = await released();
  assert.ok(minute > 2_500, `${minute} in a minute`);
  await pass(10_000);
  assert.equal(await released(), 3_000);
});

test("jobs with large audiences count by their devices", async (t) => {
  const { recoveryScheduler, pass, released } = await setUp(t, { jobs: 20, devices: 500 });
  recoveryScheduler.begin("fcm", 100);
  await pass(10_000);
  const first = await released();
  assert.equal(first, 1);
});

test("a service that is held again releases no more jobs until it recovers", async (t) => {
  const { recoveryScheduler, pass, released } = await setUp(t, { jobs: 1_000 });
  recoveryScheduler.begin("fcm", 100);
  await pass(5_000);
  recoveryScheduler.end("fcm");
  const before = await released();
  await pass(20_000);
  assert.equal(await released(), before);
  recoveryScheduler.begin("fcm", 100);
  // A second call changes nothing.
  recoveryScheduler.begin("fcm", 100);
  await pass(0);
  assert.equal(await released(), before + 50);
});

test("a job that begins to wait during the last step is released too", async (t) => {
  const { store, recoveryScheduler, addJob, pass, released } = await setUp(t, { jobs: 1 });
  const release = store.releaseWaiting.bind(store);
  let steps = 0;
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    const answer = await release(input);
    steps += 1;
    if (steps > 1) return answer;
    // The step under way has not seen this job.
    await addJob();
    recoveryScheduler.begin("fcm", 0);
    return answer;
  });
  recoveryScheduler.begin("fcm", 0);
  await pass(STEP_MS);
  assert.deepEqual([await released(), steps], [2, 2]);
});

test("a failure of the database postpones one step", async (t) => {
  const { store, recoveryScheduler, pass, released } = await setUp(t, { jobs: 40 });
  const failing = t.mock.method(store, "releaseWaiting", async () => {
    throw new Error("no connection");
  });
  recoveryScheduler.begin("fcm", 0);
  await pass(0);
  assert.equal(await released(), 0);
  failing.mock.restore();
  await pass(STEP_MS);
  assert.equal(await released(), 40);
});

test("a release that ends during a step begins no other step", async (t) => {
  const { store, recoveryScheduler, pass, released } = await setUp(t, { jobs: 1_000 });
  const release = store.releaseWaiting.bind(store);
  const begun = Promise.withResolvers<void>();
  let steps = 0;
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    steps += 1;
    await begun.promise;
    return release(input);
  });
  recoveryScheduler.begin("fcm", 100);
  recoveryScheduler.end("fcm");
  begun.resolve();
  await pass(20_000);
  assert.deepEqual([steps, await released()], [1, 50]);
  await recoveryScheduler.stop();
  recoveryScheduler.begin("fcm", 100);
  await pass(1_000);
  assert.equal(steps, 1);
});

test("a step releases a thousand devices at most", async (t) => {
  const { store, recoveryScheduler, pass } = await setUp(t, { jobs: 1_500 });
  const release = store.releaseWaiting.bind(store);
  const limits: number[] = [];
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    limits.push(input.max);
    // The database is unavailable until enough time has passed to release everything.
    if (limits.length < 100) throw new Error("no connection");
    return release(input);
  });
  recoveryScheduler.begin("fcm", 1_000);
  await pass(30_000);
  assert.equal(limits[99], 1_000);
});
