import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import test from "node:test";
import {
  acceptNotification,
  addDevice,
  createAcceptRequest,
  startDeliveryBench,
  readStates,
} from "../../../test/support/delivery-bench.ts";
import { ACCEPTED } from "../../../test/support/scripted-provider.ts";
import { removeDevice } from "#devices/store/retirement.ts";

test("messages to one device are sent one at a time", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider, delivery } = bench;
  const deviceId = await addDevice(bench, "a/1");
  let running = 0;
  let max = 0;
  provider.script("a/1", async () => {
    running += 1;
    max = Math.max(max, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return ACCEPTED;
  });
  for (let count = 0; count < 5; count += 1) await acceptNotification(bench, [deviceId]);
  await delivery.worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 5);
  assert.equal(max, 1);
});

test("a slow device with a thousand messages does not block other devices", async (t) => {
  const bench = await startDeliveryBench(t);
  const { provider, delivery } = bench;
  const slowId = await addDevice(bench, "slow/1");
  const goodId = await addDevice(bench, "good/1");
  const gate = Promise.withResolvers<void>();
  provider.script("slow/1", async () => {
    await gate.promise;
    return ACCEPTED;
  });
  for (let count = 0; count < 1_000; count += 1) await acceptNotification(bench, [slowId]);
  const handedOver = await delivery.accept({
    request: createAcceptRequest(bench, [goodId]),
    extraRows: [],
    targets: null,
  });
  const watch = handedOver.kind === "accepted" ? handedOver.watch : null;
  await watch?.wait(5_000);
  gate.resolve();
  assert.equal(watch?.getReport(goodId)?.kind, "final");
  assert.equal(provider.attempts.filter(({ endpoint }) => endpoint === "slow/1").length, 1);
});

test("a message that expires in its device's queue is not sent", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  const deviceId = await addDevice(bench, "a/1");
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  provider.script("a/1", async () => {
    begun.resolve();
    await gate.promise;
    return ACCEPTED;
  });
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const request = createAcceptRequest(bench, [deviceId]);
    const notification = { ...request.notification, expiresAt: context.now() + 5_000 };
    ids.push(notification.id);
    await delivery.accept({ request: { ...request, notification }, extraRows: [], targets: null });
  }
  await begun.promise;
  context.clock.advance(9_000);
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 1);
  const states = await Promise.all(ids.map((id) => readStates(bench, id)));
  assert.deepEqual(states.flat(), ["accepted", "expired", "expired"]);
});

test("messages that wait for a device that is found gone are cancelled", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  const deviceId = await addDevice(bench, "a/1");
  const gate = Promise.withResolvers<void>();
  provider.script("a/1", async () => {
    await gate.promise;
    const reason = { code: "device_gone", detail: null } as const;
    return { kind: "gone", goneAt: context.now(), reason };
  });
  const ids = [];
  for (let count = 0; count < 4; count += 1) ids.push(await acceptNotification(bench, [deviceId]));
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 1);
  const states = await Promise.all(ids.map((id) => readStates(bench, id)));
  assert.deepEqual(states.flat(), ["gone", "cancelled", "cancelled", "cancelled"]);
});

test("messages that wait for a device that its owner removes are not sent", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, accountId, provider, delivery } = bench;
  const deviceId = await addDevice(bench, "a/1");
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  provider.script("a/1", async () => {
    begun.resolve();
    await gate.promise;
    return ACCEPTED;
  });
  for (let count = 0; count < 3; count += 1) await acceptNotification(bench, [deviceId]);
  await begun.promise;
  await removeDevice(context, { actor: OPERATOR, accountId, deviceId });
  gate.resolve();
  await delivery.worker.waitUntilIdle();
  assert.equal(provider.attempts.length, 1);
});
