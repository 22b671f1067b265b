import assert from "node:assert/strict";
import test from "node:test";
import {
  accept,
  addDevice,
  requestFor,
  startBench,
  statesOf,
  workOnce,
} from "../../../test/support/delivery-bench.ts";
import { ACCEPTED, untilAborted } from "../../../test/support/scripted-provider.ts";
import { createDeliveryStore } from "../store/create-store.ts";

test("a retry is sent at its time, not before", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  const device = await addDevice(bench, "a");
  const reason = { code: "transient", detail: null } as const;
  provider.script("a", async () => ({ kind: "retry", reason, afterMs: null, counted: true }));
  const id = await accept(bench, [device]);
  await delivery.worker.idle();
  provider.script("a", async () => ACCEPTED);

  context.clock.advance(999);
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 1);
  context.clock.advance(1);
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 2);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("an attempt whose provider throws is retried", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  const device = await addDevice(bench, "a");
  provider.script("a", () => Promise.reject(new Error("a fault of ours")));
  const id = await accept(bench, [device]);
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), []);
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(5_000);
  await workOnce(delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("results of a chunk are recorded while its last device hangs", async (t) => {
  const bench = await startBench(t);
  const { delivery, provider } = bench;
  const devices = [await addDevice(bench, "quick"), await addDevice(bench, "slow")];
  const gate = Promise.withResolvers<void>();
  provider.script("slow", async () => {
    await gate.promise;
    return ACCEPTED;
  });
  const id = await accept(bench, devices);
  while ((await statesOf(bench, id)).length === 0)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await delivery.stats()).jobs, 1);
  gate.resolve();
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted", "accepted"]);
});

test("a job that another process took over is not recorded twice", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  const device = await addDevice(bench, "a");
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  provider.script("a", async () => {
    begun.resolve();
    await gate.promise;
    return ACCEPTED;
  });
  const id = await accept(bench, [device]);
  await begun.promise;
  // The lease ends while this process is frozen, and another node finishes the job.
  context.clock.advance(30_001);
  const other = createDeliveryStore(context, "node-2");
  const [reclaimed] = await other.claim({ lane: 0, max: 1, until: context.now() + 30_000 });
  assert.ok(reclaimed);
  const result = {
    deviceId: device,
    provider: "webpush",
    state: "accepted",
    code: "accepted",
  } as const;
  const results = [{ ...result, detail: null, attempts: 1, at: context.now() }];
  const next = { kind: "done" } as const;
  const { lease } = reclaimed;
  assert.deepEqual(
    await other.settle([{ id, lease, notificationId: id, results, news: null, next }]),
    ["ok"],
  );
  gate.resolve();
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("no attempt begins under a lease that is about to end", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  const device = await addDevice(bench, "a");
  const store = createDeliveryStore(context, "node-1");
  const request = requestFor(bench, [device]);
  await store.accept([{ ...request, takeLease: false }]);
  const [job] = await store.claim({ lane: 0, max: 1, until: context.now() + 4_999 });
  assert.ok(job);
  delivery.worker.begin(job, null);
  await delivery.worker.idle();
  assert.equal(provider.attempts.length, 0);
  await workOnce(delivery.worker);
  assert.deepEqual(await statesOf(bench, request.notification.id), ["accepted"]);
});

test("a stop lets attempts finish, aborts hanging ones and loses nothing", async (t) => {
  const bench = await startBench(t);
  const { delivery, provider } = bench;
  const [quick, stuck] = [await addDevice(bench, "quick"), await addDevice(bench, "stuck")];
  const begun = Promise.withResolvers<void>();
  provider.script("stuck", async (_message, signal) => {
    begun.resolve();
    await untilAborted(signal);
    const reason = { code: "ambiguous", detail: null } as const;
    return { kind: "retry", reason, afterMs: null, counted: true };
  });
  const id = await accept(bench, [quick, stuck]);
  await begun.promise;
  await delivery.worker.stop(0);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
  const { jobs } = await delivery.stats();
  assert.equal(jobs, 1);
});

test("a start immediately takes over jobs that an earlier process had leased", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  const device = await addDevice(bench, "a");
  const request = requestFor(bench, [device]);
  await createDeliveryStore(context, "node-0").accept([{ ...request, takeLease: true }]);
  assert.equal((await delivery.stats()).due, 0);
  await delivery.worker.start();
  await delivery.worker.idle();
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual(await statesOf(bench, request.notification.id), ["accepted"]);
});
