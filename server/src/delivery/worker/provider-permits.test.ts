import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import type { Outcome } from "#providers/provider.ts";
import {
  acceptNotification,
  addDevice,
  createDeliveryNode,
  createAcceptRequest,
  readStates,
  runWorkerOnce,
  type DeliveryBench,
} from "../../../test/support/delivery-bench.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { AdmittingProvider } from "../../../test/support/admitting-provider.ts";
import { insertAccount, createRoomContext } from "../../../test/support/context.ts";
import { CHUNK_MAX } from "../delivery.ts";
import { createDeliveryStore } from "../store/create-store.ts";

const AMBIGUOUS: Outcome = {
  kind: "retry",
  reason: { code: "ambiguous", detail: null },
  afterMs: null,
  isCounted: true,
};

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const provider = new AdmittingProvider();
  const delivery = createDeliveryNode({ context, providers: [provider] });
  t.after(() => delivery.worker.stop(0));
  return { context, accountId, provider, delivery } satisfies DeliveryBench;
}

test("a device whose provider has no permit is retried without counting an attempt", async (t) => {
  const bench = await setUp(t);
  const { context, provider, delivery, accountId } = bench;
  const deviceId = await addDevice(bench, "full/1");
  provider.scriptAdmission("full/1", async ({ accountId: owner, isBulk }) => {
    assert.deepEqual([owner, isBulk], [accountId, false]);
    return null;
  });
  const id = await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  assert.deepEqual([provider.attempts, provider.admittedCount], [[], 0]);
  provider.scriptAdmission("full/1", async () => {});
  context.clock.advance(10_000);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual([await readStates(bench, id), provider.admittedCount], [["accepted"], 0]);
});

test("a message that waited for a permit is not sent to a service that failed meanwhile", async (t) => {
  const bench = await setUp(t);
  const { provider, delivery } = bench;
  const [waitingId, ...failingIds] = await Promise.all(
    Array.from({ length: 6 }, (_, index) => addDevice(bench, `a/${index}`)),
  );
  const gate = Promise.withResolvers<void>();
  provider.scriptAdmission("a/0", () => gate.promise);
  await acceptNotification(bench, [waitingId ?? ""]);
  for (const index of failingIds.keys()) provider.script(`a/${index + 1}`, async () => AMBIGUOUS);
  for (const deviceId of failingIds) await acceptNotification(bench, [deviceId]);
  await eventually(
    async () => delivery.listHeldServices().length,
    (count) => count > 0,
  );
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(
    provider.attempts.filter(({ endpoint }) => endpoint === "a/0"),
    [],
  );
  assert.equal(provider.admittedCount, 0);
});

test("a device that is removed while it waits for a permit is not tried", async (t) => {
  const bench = await setUp(t);
  const { context, accountId, provider, delivery } = bench;
  const deviceId = await addDevice(bench, "a/1");
  const admissionBegun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  provider.scriptAdmission("a/1", async () => {
    admissionBegun.resolve();
    await gate.promise;
  });
  const id = await acceptNotification(bench, [deviceId]);
  await admissionBegun.promise;
  await removeDevice(context, { accountId, deviceId, actor: OPERATOR });
  context.clock.advance(1_000);
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(provider.attempts, []);
  assert.deepEqual([await readStates(bench, id), provider.admittedCount], [["cancelled"], 0]);
});

test("devices of silent services do not delay other devices of their job", async (t) => {
  const bench = await setUp(t);
  const { provider, delivery } = bench;
  const gate = Promise.withResolvers<void>();
  const deviceIds: string[] = [];
  for (let index = 0; index < 60; index += 1) {
    deviceIds.push(await addDevice(bench, `silent-${index}/1`));
    provider.scriptAdmission(`silent-${index}/1`, async ({ onLongWait }) => {
      onLongWait();
      await gate.promise;
    });
  }
  const goodId = await addDevice(bench, "good/1");
  assert.ok(deviceIds.length < CHUNK_MAX);
  const request = createAcceptRequest(bench, [...deviceIds, goodId]);
  const handedOver = await delivery.accept({ request, extraRows: [], targets: null });
  const watch = handedOver.kind === "accepted" ? handedOver.watch : null;
  await eventually(
    async () => provider.attempts.length,
    (count) => count > 0,
  );
  assert.deepEqual(
    provider.attempts.map(({ endpoint }) => endpoint),
    ["good/1"],
  );
  gate.resolve();
  await watch?.wait(5_000);
  await delivery.worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 61);
});

test("jobs that wait for silent services do not block due jobs", async (t) => {
  const bench = await setUp(t);
  const { context, provider, delivery } = bench;
  const gate = Promise.withResolvers<void>();
  const storeJob = async (endpoint: string) => {
    const deviceId = await addDevice(bench, endpoint);
    const request = createAcceptRequest(bench, [deviceId]);
    await createDeliveryStore(context, "another").accept([{ ...request, takeLease: false }]);
  };
  for (let index = 0; index < 64; index += 1) {
    provider.scriptAdmission(`silent-${index}/1`, () => gate.promise);
    await storeJob(`silent-${index}/1`);
  }
  await delivery.worker.claimDue();
  await eventually(
    async () => provider.requestedEndpoints.length,
    (count) => count === 64,
  );
  context.clock.advance(1);
  await storeJob("good/1");
  await delivery.worker.claimDue();
  assert.equal(provider.attempts.length, 0);
  context.clock.advance(2_000);
  await delivery.worker.claimDue();
  await eventually(
    async () => provider.attempts.length,
    (count) => count > 0,
  );
  const [first] = provider.attempts;
  assert.equal(first?.endpoint, "good/1");
  gate.resolve();
  await delivery.worker.waitUntilIdle();
});
