import assert from "node:assert/strict";
import test from "node:test";
import {
  acceptNotification,
  addDevice,
  createAcceptRequest,
  startDeliveryBench,
  readStates,
  runWorkerOnce,
} from "../../../test/support/delivery-bench.ts";
import { ACCEPTED, waitForAbort } from "../../../test/support/scripted-provider.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import { createDeliveryStore } from "../store/create-store.ts";

test("a retry is sent at its time, not before", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  const reason = { code: "transient", detail: null } as const;
  provider.script("a", async () => ({ kind: "retry", reason, afterMs: null, isCounted: true }));
  const id = await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  provider.script("a", async () => ACCEPTED);

  context.clock.advance(999);
  await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, 1);
  context.clock.advance(1);
  await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, 2);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("an attempt whose provider throws is retried", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  provider.script("a", () => Promise.reject(new Error("unexpected")));
  const id = await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, id), []);
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(5_000);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("the result of a quick device is recorded while another device of the job hangs", async (t) => {
  const bench = await startDeliveryBench(t);
  const { delivery, provider } = bench;
  const deviceIds = [await addDevice(bench, "quick"), await addDevice(bench, "slow")];
  const gate = Promise.withResolvers<void>();
  provider.script("slow", async () => {
    await gate.promise;
    return ACCEPTED;
  });
  const id = await acceptNotification(bench, deviceIds);
  while ((await readStates(bench, id)).length === 0)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await delivery.getQueueStats()).jobs, 1);
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, id), ["accepted", "accepted"]);
});

test("the results of a job that another process took over are not recorded twice", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  const gate = Promise.withResolvers<void>();
  const attemptStarted = Promise.withResolvers<void>();
  provider.script("a", async () => {
    attemptStarted.resolve();
    await gate.promise;
    return ACCEPTED;
  });
  const id = await acceptNotification(bench, [deviceId]);
  await attemptStarted.promise;
  // The lease ends while this process is frozen, and another node finishes the job.
  context.clock.advance(30_001);
  const otherStore = createDeliveryStore(context, "node-2");
  const [reclaimed] = await otherStore.claim({ lane: 0, max: 1, until: context.now() + 30_000 });
  assert.ok(reclaimed);
  const result = {
    deviceId,
    provider: "webpush",
    state: "accepted",
    code: "accepted",
  } as const;
  const results = [{ ...result, detail: null, attempts: 1, at: context.now() }];
  const next = { kind: "done" } as const;
  const { lease } = reclaimed;
  assert.deepEqual(
    await otherStore.settle([
      { id, lease, notificationId: id, results, deviceStateUpdate: null, next },
    ]),
    ["ok"],
  );
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("no attempt begins under a lease that is about to end", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  const store = createDeliveryStore(context, "node-1");
  const request = createAcceptRequest(bench, [deviceId]);
  await store.accept([{ ...request, takeLease: false }]);
  const [job] = await store.claim({ lane: 0, max: 1, until: context.now() + 4_999 });
  assert.ok(job);
  delivery.worker.beginJob(job, null);
  await delivery.worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 0);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual(await readStates(bench, request.notification.id), ["accepted"]);
});

test("a stopping worker lets attempts finish, aborts hanging ones and loses no job", async (t) => {
  const bench = await startDeliveryBench(t);
  const { delivery, provider } = bench;
  const quickId = await addDevice(bench, "quick");
  const stuckId = await addDevice(bench, "stuck");
  const attemptStarted = Promise.withResolvers<void>();
  provider.script("stuck", async (_message, signal) => {
    attemptStarted.resolve();
    await waitForAbort(signal);
    const reason = { code: "ambiguous", detail: null } as const;
    return { kind: "retry", reason, afterMs: null, isCounted: true };
  });
  const id = await acceptNotification(bench, [quickId, stuckId]);
  await attemptStarted.promise;
  await delivery.worker.stop(0);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
  const { jobs } = await delivery.getQueueStats();
  assert.equal(jobs, 1);
});

test("a starting worker immediately takes over the jobs that an earlier process leased", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, delivery, provider } = bench;
  const deviceId = await addDevice(bench, "a");
  const request = createAcceptRequest(bench, [deviceId]);
  await createDeliveryStore(context, "node-0").accept([{ ...request, takeLease: true }]);
  assert.equal((await delivery.getQueueStats()).due, 0);
  await delivery.worker.start();
  await delivery.worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual(await readStates(bench, request.notification.id), ["accepted"]);
});

test("an address that a service corrects is stored", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, accountId, provider, delivery } = bench;
  const deviceId = await addDevice(bench, "a/1");
  const correctedAddress = {
    provider: "webpush",
    endpoint: "a/1",
    keys: { p256dh: "better", auth: "" },
  } as const;
  provider.script("a/1", async () => ({
    ...ACCEPTED,
    kind: "accepted",
    receipt: null,
    updatedAddress: correctedAddress,
  }));
  await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  const [target] = await listAudienceDevices(context, { kind: "account", accountId }, { limit: 1 });
  assert.deepEqual(target?.address, correctedAddress);
});
