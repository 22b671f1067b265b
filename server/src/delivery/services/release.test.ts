import assert from "node:assert/strict";
import test from "node:test";
import {
  acceptNotification,
  addDevice,
  startDeliveryBench,
  readStates,
  runWorkerOnce,
  type DeliveryBench,
} from "../../../test/support/delivery-bench.ts";
import { ACCEPTED } from "../../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { eventually } from "../../../test/support/eventually.ts";

const MINUTE_MS = 60_000;

function createFailure(code: "transient" | "unreachable"): Outcome {
  const reason = { code, detail: null };
  return { kind: "retry", reason, afterMs: null, isCounted: code === "transient" };
}

async function passMinutes({ context, delivery }: DeliveryBench, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    context.clock.advance(MINUTE_MS);
    await runWorkerOnce(delivery.worker);
  }
}

/** Runs all work that is due now. */
async function runDueWork({ delivery }: DeliveryBench): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    await runWorkerOnce(delivery.worker);
  }
}

test("a job whose devices wait for two services is released by either", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider } = bench;
  const deviceIds = [await addDevice(bench, "x/1"), await addDevice(bench, "y/1")];
  for (const name of ["x/1", "y/1"])
    provider.script(name, async () => createFailure("unreachable"));
  const ids: string[] = [];
  for (let count = 0; count < 6; count += 1) ids.push(await acceptNotification(bench, deviceIds));
  await runDueWork(bench);
  await passMinutes(bench, 30);
  provider.script("y/1", async () => ACCEPTED);
  await acceptNotification(bench, [await addDevice(bench, "y/2")]);
  await runDueWork(bench);
  for (const id of ids) assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a job whose probe releases the service delivers its other devices immediately", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider, delivery } = bench;
  const badId = await addDevice(bench, "s/bad");
  provider.script("s/bad", async () => createFailure("transient"));
  await acceptNotification(bench, [badId]);
  await runDueWork(bench);
  await passMinutes(bench, 60);
  assert.equal(delivery.listHeldServices()[0]?.cause, "failing");
  const deviceIds: string[] = [];
  for (let index = 0; index < 50; index += 1) deviceIds.push(await addDevice(bench, `s/${index}`));
  const id = await acceptNotification(bench, deviceIds);
  await eventually(
    () => readStates(bench, id),
    (states) => states.length === 50,
  );
});

test("a device that its healthy service refuses is retried only rarely", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider } = bench;
  const deviceId = await addDevice(bench, "bad/1");
  const reason = { code: "provider_misconfigured", detail: "403" } as const;
  provider.script("bad/1", async () => ({ kind: "refused", reason, mayConcernOnlyDevice: true }));
  for (let count = 0; count < 3; count += 1) await acceptNotification(bench, [deviceId]);
  await runDueWork(bench);
  // One request for the device, although it has three messages.
  const countAttempts = () => provider.attempts.length;
  assert.equal(countAttempts(), 1);
  await passMinutes(bench, 6);
  await runDueWork(bench);
  assert.equal(countAttempts(), 2);
  await passMinutes(bench, 24 * 60);
  assert.ok(countAttempts() < 40, `${countAttempts()} requests in a day`);
});

test("a device waits while a probe hangs, and other due jobs still run", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  const reason = { code: "provider_misconfigured", detail: "403" } as const;
  const deviceId = await addDevice(bench, "bad/1");
  provider.script("bad/1", async () => ({ kind: "refused", reason }));
  for (let count = 0; count < 70; count += 1) await acceptNotification(bench, [deviceId]);
  await runDueWork(bench);
  const gate = Promise.withResolvers<void>();
  provider.script("bad/1", async () => {
    await gate.promise;
    return ACCEPTED;
  });
  context.clock.advance(6 * MINUTE_MS);
  await delivery.worker.claimDue();
  const goodNotification = await acceptNotification(bench, [await addDevice(bench, "good/1")]);
  while ((await readStates(bench, goodNotification)).length === 0) await delivery.worker.claimDue();
  assert.equal(provider.attempts.filter(({ endpoint }) => endpoint === "bad/1").length, 2);
  const { due } = await delivery.getQueueStats();
  assert.ok(due <= 1, `${due} jobs are due`);
  gate.resolve();
});
