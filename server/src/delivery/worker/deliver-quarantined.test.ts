import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  insertCrashedJob,
  addDevice,
  createDeliveryNode,
  startDeliveryBench,
  runWorkerOnce,
  type DeliveryBench,
} from "../../../test/support/delivery-bench.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { ACCEPTED, waitForAbort } from "../../../test/support/scripted-provider.ts";
import { findResults } from "#notifications/log/store.ts";
import type { Delivery } from "../create-delivery.ts";
import { createDeliveryStore } from "../store/create-store.ts";

/** Time for which a new process does not run quarantined jobs. */
const QUARANTINE_DELAY_MS = 3_000;
/** Longest wait of a device after a crash. */
const CRASH_RETRY_MAX_MS = 12_000;

let processCount = 0;
const latestByBench = new WeakMap<DeliveryBench, Delivery>();
/** Longer than any test. */
const NEVER_MS = 600_000;

/** Starts a process that takes over from the one before it, as if that had died. */
async function startProcess(t: TestContext, bench: DeliveryBench): Promise<Delivery> {
  const { context, provider } = bench;
  processCount += 1;
  // The earlier process's attempt keeps hanging, and it claims no more jobs.
  void latestByBench.get(bench)?.worker.stop(NEVER_MS);
  const delivery = createDeliveryNode({
    context,
    nodeId: `node ${processCount}`,
    providers: [provider],
  });
  latestByBench.set(bench, delivery);
  t.after(() => delivery.worker.stop(0));
  await delivery.worker.start();
  context.clock.advance(QUARANTINE_DELAY_MS);
  return delivery;
}

/** Makes every attempt at these endpoints hang. The test then continues as if the process had crashed. */
function poisonEndpoints({ provider }: DeliveryBench, endpoints: readonly string[]): void {
  for (const endpoint of endpoints) {
    provider.script(endpoint, async (_message, signal) => {
      await waitForAbort(signal);
      return ACCEPTED;
    });
  }
}

/** Starts processes until one does not crash at the given endpoints; returns the number of crashes. */
async function countCrashes(
  t: TestContext,
  bench: DeliveryBench,
  isPoison: (endpoint: string) => boolean,
): Promise<number> {
  for (let crashCount = 0; crashCount < 10; crashCount += 1) {
    const delivery = await startProcess(t, bench);
    while (await claimUntilIdle(bench, delivery)) {
      if (bench.provider.attempts.some(({ endpoint }) => isPoison(endpoint))) break;
    }
    const fatalAttempts = bench.provider.attempts
      .splice(0)
      .filter(({ endpoint }) => isPoison(endpoint));
    if (fatalAttempts.length === 0) return crashCount;
  }
  throw new Error("The processes do not stop crashing.");
}

/** Claims due jobs until the process is idle or hangs; returns whether jobs are left afterwards. */
async function claimUntilIdle(
  { context, provider }: DeliveryBench,
  { worker, getQueueStats }: Delivery,
): Promise<boolean> {
  const countBefore = provider.attempts.length;
  void worker.claimDue();
  await eventually(
    async () => provider.attempts.length > countBefore || (await isIdle(worker)),
    (done) => done,
  );
  await isIdle(worker);
  context.clock.advance(CRASH_RETRY_MAX_MS);
  return (await getQueueStats()).jobs > 0;
}

async function isIdle(worker: Delivery["worker"]): Promise<boolean> {
  return Promise.race([
    worker.waitUntilIdle().then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 20)),
  ]);
}

async function findResultsByDevice({ context }: DeliveryBench, notificationId: string) {
  const results = await findResults(context, { notificationId, limit: 100 });
  return new Map(results.map(({ deviceId, state, code }) => [deviceId, `${state} ${code}`]));
}

test("a device that crashed two processes in quarantine fails, but not the others", async (t) => {
  const bench = await startDeliveryBench(t);
  const badId = await addDevice(bench, "bad");
  const goodId = await addDevice(bench, "good");
  poisonEndpoints(bench, ["bad"]);
  const id = await insertCrashedJob(bench, [badId, goodId]);
  const otherNotification = await insertCrashedJob(bench, [await addDevice(bench, "other")]);
  assert.equal(await countCrashes(t, bench, (endpoint) => endpoint === "bad"), 2);
  const resultsByDevice = await findResultsByDevice(bench, id);
  assert.deepEqual(
    [resultsByDevice.get(badId), resultsByDevice.get(goodId)],
    ["failed crashed", "accepted accepted"],
  );
  assert.deepEqual(
    [...(await findResultsByDevice(bench, otherNotification)).values()],
    ["accepted accepted"],
  );
  const [result] = (await findResults(bench.context, { notificationId: id, limit: 9 })).filter(
    ({ deviceId }) => deviceId === badId,
  );
  assert.equal(result?.attempts, 2);
  assert.deepEqual(
    result?.history?.attempts.map(({ kind, code }) => [kind, code]),
    [
      ["retry", "crashed"],
      ["retry", "crashed"],
    ],
  );
});

test("a message that crashes the process for every device costs two processes in quarantine", async (t) => {
  const bench = await startDeliveryBench(t);
  const names = ["a", "b", "c", "d"];
  poisonEndpoints(bench, names);
  const deviceIds: string[] = [];
  for (const name of names) deviceIds.push(await addDevice(bench, name));
  const id = await insertCrashedJob(bench, deviceIds);
  assert.equal(await countCrashes(t, bench, () => true), 2);
  assert.deepEqual(
    new Set((await findResultsByDevice(bench, id)).values()),
    new Set(["failed crashed"]),
  );
  assert.equal((await bench.delivery.getQueueStats()).jobs, 0);
});

test("an attempt without a crash resets the crash count of its device", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  const id = await insertCrashedJob(bench, [deviceId]);
  const claimUntilHanging = async () => {
    const { worker } = await startProcess(t, bench);
    const countBefore = provider.attempts.length;
    context.clock.advance(CRASH_RETRY_MAX_MS);
    void worker.claimDue();
    await eventually(
      async () => provider.attempts.length,
      (count) => count > countBefore,
    );
    return worker;
  };
  const reason = { code: "transient", detail: null } as const;
  for (let round = 0; round < 3; round += 1) {
    poisonEndpoints(bench, ["a"]);
    await claimUntilHanging();
    provider.script("a", async () => ({ kind: "retry", reason, afterMs: null, isCounted: true }));
    const { worker } = await startProcess(t, bench);
    await runWorkerOnce(worker);
    context.clock.advance(CRASH_RETRY_MAX_MS);
    await runWorkerOnce(worker);
    context.clock.advance(3_600_000);
  }
  provider.script("a", async () => ACCEPTED);
  const { worker } = await startProcess(t, bench);
  await runWorkerOnce(worker);
  assert.deepEqual([...(await findResultsByDevice(bench, id)).values()], ["accepted accepted"]);
});

test("only one marked attempt runs at a time, so that no other job is suspected", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider } = bench;
  poisonEndpoints(bench, ["slow"]);
  const slowId = await addDevice(bench, "slow");
  await insertCrashedJob(bench, [slowId]);
  await insertCrashedJob(bench, [await addDevice(bench, "other")]);
  const { worker } = await startProcess(t, bench);
  void worker.claimDue();
  await eventually(
    async () => provider.attempts.length,
    (count) => count > 0,
  );
  await isIdle(worker);
  assert.deepEqual(
    provider.attempts.map(({ endpoint }) => endpoint),
    ["slow"],
  );
  await createDeliveryStore(context, "next").recover();
  const rows = await context.database.db.selectFrom("send_job").select("suspected").execute();
  assert.deepEqual(
    new Set(rows.map(({ suspected }) => suspected)),
    new Set([`["${slowId}",0]`, null]),
  );
});

test("a worker that stops during a marked attempt counts no crash and releases waiting jobs", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider } = bench;
  poisonEndpoints(bench, ["slow"]);
  const id = await insertCrashedJob(bench, [await addDevice(bench, "slow")]);
  await insertCrashedJob(bench, [await addDevice(bench, "other")]);
  const { worker } = await startProcess(t, bench);
  void worker.claimDue();
  await eventually(
    async () => provider.attempts.length,
    (count) => count > 0,
  );
  await worker.stop(0);
  assert.equal(provider.attempts.length, 1);
  const rows = await context.database.db
    .selectFrom("send_job")
    .select(["owner", "marked", "suspected", "crashes"])
    .execute();
  const free = { owner: "", marked: null, suspected: null, crashes: 3 };
  assert.deepEqual(
    rows,
    rows.map(() => free),
  );
  assert.equal((await findResultsByDevice(bench, id)).size, rows.length === 1 ? 1 : 0);
});

test("a process that stops lets its marked attempt finish and begins no other", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider } = bench;
  const responded = Promise.withResolvers<void>();
  provider.script("slow", async () => {
    await responded.promise;
    return ACCEPTED;
  });
  const slowNotification = await insertCrashedJob(bench, [await addDevice(bench, "slow")]);
  const otherNotification = await insertCrashedJob(bench, [await addDevice(bench, "other")]);
  const { worker } = await startProcess(t, bench);
  void worker.claimDue();
  await eventually(
    async () => provider.attempts.length,
    (count) => count > 0,
  );
  const stopped = worker.stop();
  responded.resolve();
  await stopped;
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual(
    [...(await findResultsByDevice(bench, slowNotification)).values()],
    ["accepted accepted"],
  );
  assert.equal((await findResultsByDevice(bench, otherNotification)).size, 0);
});

test("a process that has just started does not run quarantined jobs yet", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider } = bench;
  await insertCrashedJob(bench, [await addDevice(bench, "a")]);
  const { worker } = bench.delivery;
  await worker.start();
  await worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 0);
  context.clock.advance(QUARANTINE_DELAY_MS);
  await runWorkerOnce(worker);
  assert.equal(provider.attempts.length, 1);
});
