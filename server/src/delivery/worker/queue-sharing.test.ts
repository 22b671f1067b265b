import assert from "node:assert/strict";
import test from "node:test";
import {
  acceptNotification,
  addDevice,
  createDeliveryNode,
  createAcceptRequest,
  startDeliveryBench,
  readStates,
  runWorkerOnce,
  type DeliveryBench,
} from "../../../test/support/delivery-bench.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { ACCEPTED, waitForAbort } from "../../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { createPendingDevices } from "../delivery.ts";
import { createDeliveryStore } from "../store/create-store.ts";
import type { QueueSharing } from "../deps.ts";

const HOUR_MS = 3_600_000;
const REASON = { code: "provider_misconfigured", detail: "Apple answered 403" } as const;
const REFUSED: Outcome = { kind: "refused", reason: REASON };

/** Stores a job that another node holds; returns its notification's id. */
async function acceptOn(bench: DeliveryBench, owner: string, deviceId: string): Promise<string> {
  const store = createDeliveryStore(bench.context, owner);
  const request = createAcceptRequest(bench, [deviceId]);
  await store.accept([{ ...request, takeLease: true }]);
  return request.notification.id;
}

/** Stores thirty jobs that wait for a service held by the bench's own node; returns their notifications' ids. */
async function acceptWaiting(bench: DeliveryBench): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < 30; index += 1) {
    bench.provider.script(`s/${index}`, async () => REFUSED);
    ids.push(await acceptNotification(bench, [await addDevice(bench, `s/${index}`)]));
    await bench.delivery.worker.waitUntilIdle();
  }
  return ids;
}

function recoverService({ provider }: DeliveryBench): void {
  for (let index = 0; index < 30; index += 1) provider.script(`s/${index}`, async () => ACCEPTED);
}

/** Returns the delivery module of a second process on the bench's database. The two exchange no messages. */
function createSecondNode(
  t: test.TestContext,
  { context, provider }: DeliveryBench,
  sharing: Partial<QueueSharing> = {},
) {
  const delivery = createDeliveryNode({
    context,
    nodeId: "node-2",
    providers: [provider],
    sharing: { shouldSend: true, mayClaim: () => true, publishJobsDue() {}, ...sharing },
  });
  t.after(() => delivery.worker.stop(0));
  return delivery;
}

test("a node that starts leaves live nodes their jobs and sends those of dead nodes", async (t) => {
  const bench = await startDeliveryBench(t);
  const liveJob = await acceptOn(bench, "living", await addDevice(bench, "a"));
  const deadJob = await acceptOn(bench, "dead", await addDevice(bench, "b"));
  const { worker } = createSecondNode(t, bench);
  await worker.start();
  await worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, liveJob), []);
  assert.deepEqual(await readStates(bench, deadJob), []);
  await worker.reclaim(["dead"]);
  await runWorkerOnce(worker);
  assert.deepEqual(await readStates(bench, deadJob), ["accepted"]);
  assert.deepEqual(await readStates(bench, liveJob), []);
});

test("a node that starts probes a service and releases all jobs after an acceptance", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider, delivery } = bench;
  const ids = await acceptWaiting(bench);
  assert.ok(delivery.listHeldServices().length > 0);
  const countBefore = provider.attempts.length;
  const first = createSecondNode(t, bench);
  await first.worker.start();
  await first.worker.waitUntilIdle();
  const probes = provider.attempts.length - countBefore;
  assert.ok(probes >= 1 && probes <= 8, `${probes} probes`);
  recoverService(bench);
  const second = createDeliveryNode({
    context: bench.context,
    nodeId: "node-3",
    providers: [provider],
    sharing: { shouldSend: true, mayClaim: () => true, publishJobsDue() {} },
  });
  t.after(() => second.worker.stop(0));
  await second.worker.start();
  for (let round = 0; round < 20; round += 1) {
    await runWorkerOnce(second.worker);
  }
  for (const id of ids) assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a node that delivers a job of another node's backlog releases the rest", async (t) => {
  const bench = await startDeliveryBench(t);
  const ids = await acceptWaiting(bench);
  recoverService(bench);
  let publishedCount = 0;
  const { worker } = createSecondNode(t, bench, { publishJobsDue: () => (publishedCount += 1) });
  // The second node was there before and knows of no trouble.
  const store = createDeliveryStore(bench.context, "node-2");
  assert.equal(await store.makeProbesDue("s", 1), 1);
  for (let round = 0; round < 20; round += 1) {
    await runWorkerOnce(worker);
  }
  for (const id of ids) assert.deepEqual(await readStates(bench, id), ["accepted"]);
  assert.ok(publishedCount > 0, "the other nodes must learn of the jobs that this one released");
});

test("a lease from before a clock rollback does not last until the old time", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery } = bench;
  await delivery.worker.claimDue();
  const id = await acceptOn(bench, "another", await addDevice(bench, "a"));
  context.clock.advance(-HOUR_MS);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a node that may not claim yet leaves abandoned jobs and tries again later", async (t) => {
  const bench = await startDeliveryBench(t);
  let mayClaim = false;
  const { worker } = createSecondNode(t, bench, { mayClaim: () => mayClaim });
  const id = await acceptOn(bench, "another", await addDevice(bench, "a"));
  bench.context.clock.advance(HOUR_MS);
  await runWorkerOnce(worker);
  assert.equal(bench.provider.attempts.length, 0);
  mayClaim = true;
  await eventually(
    () => readStates(bench, id),
    ([state]) => state === "accepted",
  );
});

test("a process that does not send leaves its jobs due and publishes that", async (t) => {
  const bench = await startDeliveryBench(t);
  let publishedCount = 0;
  const delivery = createSecondNode(t, bench, {
    shouldSend: false,
    publishJobsDue: () => (publishedCount += 1),
  });
  await delivery.worker.start();
  const request = createAcceptRequest(bench, [await addDevice(bench, "a")]);
  const accepted = await delivery.accept({ request, extraRows: [], targets: [] });
  assert.ok(accepted.kind === "accepted");
  assert.equal(publishedCount, 1);
  await runWorkerOnce(delivery.worker);
  assert.equal(bench.provider.attempts.length, 0);
  await runWorkerOnce(bench.delivery.worker);
  assert.deepEqual(await readStates(bench, request.notification.id), ["accepted"]);
});

test("a process that does not send watches the devices that its commit read", async (t) => {
  const bench = await startDeliveryBench(t);
  const deviceId = await addDevice(bench, "a");
  const request = {
    ...createAcceptRequest(bench, []),
    work: { kind: "audience", max: 99 },
  } as const;
  const { id } = request.notification;
  const [pending] = createPendingDevices([deviceId], 0);
  assert.ok(pending !== undefined);
  const delivery = createSecondNode(t, bench, {
    shouldSend: false,
    // Another process sends at once.
    publishJobsDue: () => delivery.addRemoteReport(id, { kind: "pending", pending }),
  });
  const accepted = await delivery.accept({ request, extraRows: [], targets: null });
  assert.ok(accepted.kind === "accepted");
  assert.deepEqual(accepted.watch?.deviceIds, [deviceId]);
  assert.deepEqual([accepted.watch.isRemote, accepted.watch.isComplete], [true, true]);
});

test("a node that was frozen notices that its jobs were taken over and records nothing", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  const deviceId = await addDevice(bench, "a");
  const begun = Promise.withResolvers<void>();
  let isAborted = false;
  provider.script("a", async (_message, signal) => {
    begun.resolve();
    await waitForAbort(signal);
    isAborted = true;
    return ACCEPTED;
  });
  const id = await acceptNotification(bench, [deviceId]);
  await begun.promise;
  const otherStore = createDeliveryStore(context, "node-2");
  assert.equal(await otherStore.reclaim(["node-1"]), 1);
  assert.equal(
    (await otherStore.claim({ lane: 0, max: 1, until: context.now() + 30_000 }))[0]?.crashes,
    1,
  );
  await delivery.worker.renewLeases();
  await delivery.worker.waitUntilIdle();
  assert.equal(isAborted, true);
  assert.deepEqual(await readStates(bench, id), []);
});
