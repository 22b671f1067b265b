import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import { DeliveryModel } from "../../../test/ports/delivery-model.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { RecoveryScheduler } from "./recovery-scheduler.ts";
import { untried } from "../delivery.ts";

const HOUR = 3_600_000;
const STEP_MS = 250;
const log = pino({ level: "silent" });

/** Jobs of so many devices each wait for a service, in a queue in memory. */
async function bench(t: TestContext, { jobs, devices = 1 }: { jobs: number; devices?: number }) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const elapsed = { ms: 0 };
  const store = new DeliveryModel(() => 0, "node-1");
  let lastId = 0;
  const context = { now: () => 0, newId: () => String((lastId += 1)) };
  const names = Array.from({ length: devices }, (_, index) => `d${index}`);
  const pending = untried(names, HOUR).map((device) => {
    return { ...device, waitsFor: { service: "fcm", epoch: "node-1 0" } };
  });
  const addJob = async () => {
    const notification = notificationTo(context, "ann");
    const work = { kind: "devices", pending } as const;
    const request = { notification, lane: 1, work, idempotency: null, takeLease: true } as const;
    const [accepted] = await store.accept([request]);
    assert.ok(accepted?.kind === "accepted" && accepted.job !== null);
    const next = { kind: "retry", pending, at: HOUR, waitsFor: ["fcm"] } as const;
    const { lease } = accepted.job;
    const known = { id: context.newId(), lease, notificationId: notification.id };
    await store.settle([{ ...known, results: [], news: null, next }]);
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
    /** Lets time pass as timers see it. */
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

test("a small backlog is released at once", async (t) => {
  const { recoveryScheduler, pass, released, dueCalls } = await bench(t, { jobs: 40 });
  recoveryScheduler.begin("fcm", 0);
  await pass(0);
  assert.equal(await released(), 40);
  assert.equal(dueCalls(), 1);
});

test("a large backlog is released slowly at first, and all of it in the end", async (t) => {
  const { recoveryScheduler, pass, released } = await bench(t, { jobs: 3_000 });
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

test("large audiences are counted by their devices", async (t) => {
  const { recoveryScheduler, pass, released } = await bench(t, { jobs: 20, devices: 500 });
  recoveryScheduler.begin("fcm", 100);
  await pass(10_000);
  const first = await released();
  assert.equal(first, 1);
});

test("a service that is held again releases no more jobs, and starts slowly when it recovers again", async (t) => {
  const { recoveryScheduler, pass, released } = await bench(t, { jobs: 1_000 });
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

test("a job that begins to wait during the last step is released as well", async (t) => {
  const { store, recoveryScheduler, addJob, pass, released } = await bench(t, { jobs: 1 });
  const release = store.releaseWaiting.bind(store);
  let looked = 0;
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    const answer = await release(input);
    looked += 1;
    if (looked > 1) return answer;
    // The step under way has not seen this job.
    await addJob();
    recoveryScheduler.begin("fcm", 0);
    return answer;
  });
  recoveryScheduler.begin("fcm", 0);
  await pass(STEP_MS);
  assert.deepEqual([await released(), looked], [2, 2]);
});

test("a failure of the database postpones one step", async (t) => {
  const { store, recoveryScheduler, pass, released } = await bench(t, { jobs: 40 });
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

test("a release that ends during a step takes no further one, and after the stop none begins", async (t) => {
  const { store, recoveryScheduler, pass, released } = await bench(t, { jobs: 1_000 });
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

test("a step releases a thousand devices at most, however many may have gone by then", async (t) => {
  const { store, recoveryScheduler, pass } = await bench(t, { jobs: 1_500 });
  const release = store.releaseWaiting.bind(store);
  const asked: number[] = [];
  t.mock.method(store, "releaseWaiting", async (input: Parameters<typeof release>[0]) => {
    asked.push(input.max);
    // The database is away until so much time has passed that all might go.
    if (asked.length < 100) throw new Error("no connection");
    return release(input);
  });
  recoveryScheduler.begin("fcm", 1_000);
  await pass(30_000);
  assert.equal(asked[99], 1_000);
});
