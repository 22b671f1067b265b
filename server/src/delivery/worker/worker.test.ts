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

test("a retry is due at its moment, not before, and is then made", async (t) => {
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

test("a provider that throws blames no device: the attempt is a retry", async (t) => {
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

test("of a chunk whose last device hangs, the others are recorded while it does", async (t) => {
  const bench = await startBench(t);
  const { delivery, provider } = bench;
  const devices = [await addDevice(bench, "quick"), await addDevice(bench, "slow")];
  const held = Promise.withResolvers<void>();
  provider.script("slow", async () => {
    await held.promise;
    return ACCEPTED;
  });
  const id = await accept(bench, devices);
  while ((await statesOf(bench, id)).length === 0)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await delivery.stats()).jobs, 1);
  held.resolve();
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted", "accepted"]);
});

test("a job that another process took over meanwhile is not recorded twice", async (t) => {
  const bench = await startBench(t);
  const { context, delivery, provider } = bench;
  const device = await addDevice(bench, "a");
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  provider.script("a", async () => {
    asked.resolve();
    await held.promise;
    return ACCEPTED;
  });
  const id = await accept(bench, [device]);
  await asked.promise;
  // The lease ends while we are frozen, and another node finishes the work.
  context.clock.advance(30_001);
  const other = createDeliveryStore(context, "node-2");
  const [taken] = await other.claim({ lane: 0, max: 1, until: context.now() + 30_000 });
  assert.ok(taken);
  const result = {
    deviceId: device,
    provider: "webpush",
    state: "accepted",
    code: "accepted",
  } as const;
  const results = [{ ...result, detail: null, attempts: 1, at: context.now() }];
  const next = { kind: "done" } as const;
  const { lease } = taken;
  assert.deepEqual(
    await other.settle([{ id, lease, notificationId: id, results, news: null, next }]),
    ["ok"],
  );
  held.resolve();
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("under a lease that is about to end nothing new is begun", async (t) => {
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

test("a stop lets attempts finish, gives up those that do not, and loses nothing", async (t) => {
  const bench = await startBench(t);
  const { delivery, provider } = bench;
  const [quick, stuck] = [await addDevice(bench, "quick"), await addDevice(bench, "stuck")];
  const asked = Promise.withResolvers<void>();
  provider.script("stuck", async (_message, signal) => {
    asked.resolve();
    await untilAborted(signal);
    const reason = { code: "ambiguous", detail: null } as const;
    return { kind: "retry", reason, afterMs: null, counted: true };
  });
  const id = await accept(bench, [quick, stuck]);
  await asked.promise;
  await delivery.worker.stop(0);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
  const { jobs } = await delivery.stats();
  assert.equal(jobs, 1);
});

test("a start takes over what a process before left leased, at once", async (t) => {
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
