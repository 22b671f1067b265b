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
  let told = 0;
  const onDue = () => (told += 1);
  const recoveryScheduler = new RecoveryScheduler({ store, log, elapsed: () => elapsed.ms, onDue });
  t.after(() => recoveryScheduler.stop());
  return {
    store,
    recoveryScheduler,
    addJob,
    told: () => told,
    woken: async () => (await store.stats()).due,
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

test("what little waits for a service goes at once", async (t) => {
  const { recoveryScheduler, pass, woken, told } = await bench(t, { jobs: 40 });
  recoveryScheduler.begin("fcm", 0);
  await pass(0);
  assert.equal(await woken(), 40);
  assert.equal(told(), 1);
});

test("what much waits for a service goes slowly at first, and all in the end", async (t) => {
  const { recoveryScheduler, pass, woken } = await bench(t, { jobs: 3_000 });
  recoveryScheduler.begin("fcm", 100);
  await pass(10_000);
  const first = await woken();
  assert.ok(first > 200 && first < 350, `${first} in ten seconds`);
  await pass(50_000);
  const minute = await woken();
  assert.ok(minute > 2_500, `${minute} in a minute`);
  await pass(10_000);
  assert.equal(await woken(), 3_000);
});

test("large audiences are counted by their devices", async (t) => {
  const { recoveryScheduler, pass, woken } = await bench(t, { jobs: 20, devices: 500 });
  recoveryScheduler.begin("fcm", 100);
  await pass(10_000);
  const first = await woken();
  assert.equal(first, 1);
});

test("a service that is held again wakes nobody more; back again, it begins anew", async (t) => {
  const { recoveryScheduler, pass, woken } = await bench(t, { jobs: 1_000 });
  recoveryScheduler.begin("fcm", 100);
  await pass(5_000);
  recoveryScheduler.end("fcm");
  const before = await woken();
  await pass(20_000);
  assert.equal(await woken(), before);
  recoveryScheduler.begin("fcm", 100);
  // Told twice, it goes on as it does.
  recoveryScheduler.begin("fcm", 100);
  await pass(0);
  assert.equal(await woken(), before + 50);
});

test("who begins to wait while the last of the others are looked for is woken as well", async (t) => {
  const { store, recoveryScheduler, addJob, pass, woken } = await bench(t, { jobs: 1 });
  const wake = store.wake.bind(store);
  let looked = 0;
  t.mock.method(store, "wake", async (input: Parameters<typeof wake>[0]) => {
    const answer = await wake(input);
    looked += 1;
    if (looked > 1) return answer;
    // The answer is on its way, and knows nothing of this one.
    await addJob();
    recoveryScheduler.begin("fcm", 0);
    return answer;
  });
  recoveryScheduler.begin("fcm", 0);
  await pass(STEP_MS);
  assert.deepEqual([await woken(), looked], [2, 2]);
});

test("a database that fails puts off a step, and no more", async (t) => {
  const { store, recoveryScheduler, pass, woken } = await bench(t, { jobs: 40 });
  const failing = t.mock.method(store, "wake", async () => {
    throw new Error("no connection");
  });
  recoveryScheduler.begin("fcm", 0);
  await pass(0);
  assert.equal(await woken(), 0);
  failing.mock.restore();
  await pass(STEP_MS);
  assert.equal(await woken(), 40);
});
