import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  acceptNotification,
  addDevice,
  createDeliveryNode,
  startDeliveryBench,
  readStates,
  runWorkerOnce,
  type DeliveryBench,
} from "../../../test/support/delivery-bench.ts";
import { startStealFreeTimer } from "../../../test/support/steal-time.ts";
import { ACCEPTED } from "../../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { findRecordedDeliveries } from "#notifications/log/store.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";

const MINUTE_MS = 60_000;
const REASON = { code: "provider_misconfigured", detail: "Apple answered 403" } as const;
const REFUSED: Outcome = { kind: "refused", reason: REASON };

async function findPending({ context }: DeliveryBench, id: string) {
  return (await findRecordedDeliveries(context, [id])).pending.get(id) ?? [];
}

async function advance({ context, delivery }: DeliveryBench, ms: number): Promise<void> {
  context.clock.advance(ms);
  await runWorkerOnce(delivery.worker);
}

test("a service that refuses our credentials is held, and other services still deliver", async (t) => {
  const changes: string[] = [];
  const bench = await startDeliveryBench(t, {
    onServiceChanged: ({ service, kind }) => changes.push(`${service} ${kind}`),
  });
  const { provider, delivery } = bench;
  provider.shouldProbeFirst = true;
  const deviceIds = [];
  for (let index = 0; index < 20; index += 1)
    deviceIds.push(await addDevice(bench, `bad/${index}`));
  deviceIds.push(await addDevice(bench, "good/1"));
  for (let index = 0; index < 20; index += 1) provider.script(`bad/${index}`, async () => REFUSED);
  const id = await acceptNotification(bench, deviceIds);
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
  const pending = await findPending(bench, id);
  assert.equal(pending.length, 20);
  assert.ok(pending.every(({ code, attempts }) => code === REASON.code && attempts === 0));
  // The first refusal spared the others.
  assert.equal(provider.attempts.filter(({ endpoint }) => endpoint.startsWith("bad")).length, 1);
  assert.deepEqual(changes, ["bad held"]);
  assert.deepEqual(delivery.listHeldServices(), [{ service: "bad", cause: "credentials" }]);
});

/** Limit of the wait for a release, well above the interval of its steps. */
const RELEASE_TIMEOUT_MS = 10_000;

test("held messages are sent once one is accepted, before their own retry times", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  const deviceIds = [await addDevice(bench, "bad/1"), await addDevice(bench, "bad/2")];
  for (const name of ["bad/1", "bad/2"]) provider.script(name, async () => REFUSED);
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await acceptNotification(bench, deviceIds));
  await delivery.worker.waitUntilIdle();
  for (const name of ["bad/1", "bad/2"]) provider.script(name, async () => ACCEPTED);
  // A few probes are due now, the other jobs only much later.
  context.clock.advance(5 * MINUTE_MS);
  const getElapsedMs = startStealFreeTimer();
  for (
    let round = 0;
    (await delivery.getQueueStats()).jobs > 0 && getElapsedMs() < RELEASE_TIMEOUT_MS;
    round += 1
  ) {
    await runWorkerOnce(delivery.worker);
    // A device whose queue was full is retried within two seconds.
    if (round < 20) context.clock.advance(2_000);
    // Lets the timer of the next step fire, which releases devices that began to wait during the last one.
    await nextTurn();
  }
  for (const id of ids) assert.deepEqual(await readStates(bench, id), ["accepted", "accepted"]);
});

test("a new process probes held services immediately", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  const deviceId = await addDevice(bench, "bad/1");
  provider.script("bad/1", async () => REFUSED);
  const id = await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  await delivery.worker.stop();
  provider.script("bad/1", async () => ACCEPTED);
  const next = createDeliveryNode({ context, providers: [provider], nodeId: "node-2" });
  t.after(() => next.worker.stop(0));
  await next.worker.start();
  await next.worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a delivery to a failing service is not given up, because probes do not count", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider, delivery } = bench;
  const deviceId = await addDevice(bench, "down/1");
  const reason = { code: "transient", detail: "503" } as const;
  provider.script("down/1", async () => ({
    kind: "retry",
    reason,
    afterMs: null,
    isCounted: true,
  }));
  const id = await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  // Ten hours of an outage, with more requests than a device may have counted attempts.
  for (let count = 0; count < 200; count += 1) await advance(bench, 3 * MINUTE_MS);
  const [pending] = await findPending(bench, id);
  assert.ok(provider.attempts.length > 20, `${provider.attempts.length} attempts`);
  // Each round allows at most one probe.
  assert.ok(provider.attempts.length <= 202, `${provider.attempts.length} attempts`);
  assert.ok(pending !== undefined && pending.attempts < 12, `${pending?.attempts} counted`);
  provider.script("down/1", async () => ACCEPTED);
  await advance(bench, 3 * MINUTE_MS);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a device that fails at a healthy service is given up after its attempts", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider, delivery } = bench;
  const badId = await addDevice(bench, "up/bad");
  const goodId = await addDevice(bench, "up/good");
  const reason = { code: "transient", detail: "500" } as const;
  provider.script("up/bad", async () => ({
    kind: "retry",
    reason,
    afterMs: null,
    isCounted: true,
  }));
  const id = await acceptNotification(bench, [badId]);
  await delivery.worker.waitUntilIdle();
  for (let count = 0; count < 60; count += 1) {
    await acceptNotification(bench, [goodId]);
    await advance(bench, 6 * MINUTE_MS);
  }
  const attempts = provider.attempts.filter(({ endpoint }) => endpoint === "up/bad");
  assert.equal(attempts.length, 12);
  assert.deepEqual(await readStates(bench, id), ["failed"]);
});

test("a device that registered after it was reported gone is kept, and its delivery is given up", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider } = bench;
  const deviceId = await addDevice(bench, "a/1");
  const reason = { code: "device_gone", detail: null } as const;
  provider.script("a/1", async () => ({ kind: "gone", goneAt: 0, reason }));
  const id = await acceptNotification(bench, [deviceId]);
  for (let round = 0; round < 10; round += 1) await advance(bench, 0);
  assert.equal(provider.attempts.length, 2);
  for (let count = 0; count < 40; count += 1) await advance(bench, 10 * MINUTE_MS);
  assert.equal(provider.attempts.length, 12);
  assert.deepEqual(await readStates(bench, id), ["failed"]);
  const { context, accountId } = bench;
  const remainingDevices = await listAudienceDevices(
    context,
    { kind: "account", accountId },
    { limit: 2 },
  );
  assert.equal(remainingDevices.length, 1);
});

test("a message that waits for a throttle is sent when it ends", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider, delivery } = bench;
  const reason = { code: "rate_limited", detail: null } as const;
  const throttled: Outcome = {
    kind: "retry",
    reason,
    afterMs: MINUTE_MS,
    affectsAllDevices: true,
    isCounted: false,
  };
  provider.script("s/1", async () => throttled);
  await acceptNotification(bench, [await addDevice(bench, "s/1")]);
  await delivery.worker.waitUntilIdle();
  const id = await acceptNotification(bench, [await addDevice(bench, "s/2")]);
  await delivery.worker.waitUntilIdle();
  const [pending] = await findPending(bench, id);
  // Without the release, a slow start would spread the retries over a minute after the throttle.
  const throttleEndsAt = bench.context.now() + MINUTE_MS;
  assert.ok(pending !== undefined && pending.runAt > throttleEndsAt + 30_000, `${pending?.runAt}`);
  await advance(bench, MINUTE_MS);
  while ((await readStates(bench, id)).length === 0) await advance(bench, 0);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});
