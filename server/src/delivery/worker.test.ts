import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { insertDevice } from "#devices/store.ts";
import { findResults } from "#notifications/log/store.ts";
import { insertAccount, testContext } from "../../test/support/room.ts";
import { ACCEPTED, ScriptedProvider, untilAborted } from "../../test/support/scripted-provider.ts";
import { createDelivery, type Delivery } from "./delivery-room.ts";
import { untried, type NewNotification } from "./delivery.ts";
import { createDeliveryStore } from "./store.ts";

type Context = Awaited<ReturnType<typeof testContext>>;

interface Bench {
  readonly context: Context;
  readonly accountId: string;
  readonly provider: ScriptedProvider;
  readonly delivery: Delivery;
}

async function startBench(t: TestContext): Promise<Bench> {
  const context = await testContext(t);
  const accountId = await insertAccount(context);
  const provider = new ScriptedProvider();
  const delivery = createDelivery({
    context,
    nodeId: "node-1",
    providers: [provider],
    random: () => 0.5,
    file: async () => {},
    tell: () => {},
    onDeviceChanged: () => {},
    onAccepted: () => {},
  });
  t.after(() => delivery.worker.stop(0));
  return { context, accountId, provider, delivery };
}

async function addDevice({ context, accountId }: Bench, endpoint: string): Promise<string> {
  const address = { provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } } as const;
  const device = { accountId, name: endpoint, platform: "web", address } as const;
  return (await insertDevice(context, device))?.id ?? "";
}

function notificationFor({ context, accountId }: Bench, deviceCount: number): NewNotification {
  return {
    id: context.newId(),
    audience: { kind: "account", accountId },
    keyId: null,
    title: "Hello",
    body: "",
    sound: null,
    channel: "feed",
    link: null,
    image: null,
    timeSensitive: false,
    createdAt: context.now(),
    expiresAt: context.now() + 86_400_000,
    deviceCount,
  };
}

function requestFor(bench: Bench, deviceIds: readonly string[]) {
  const notification = notificationFor(bench, deviceIds.length);
  const work = { kind: "devices", pending: untried(deviceIds, 0) } as const;
  return { notification, lane: 0, work, idempotency: null } as const;
}

async function accept(bench: Bench, deviceIds: readonly string[]): Promise<string> {
  const request = requestFor(bench, deviceIds);
  await bench.delivery.accept({ request, targets: null });
  return request.notification.id;
}

async function statesOf({ context }: Bench, notificationId: string) {
  const results = await findResults(context, { notificationId, limit: 100 });
  return results.map(({ state }) => state);
}

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
  await delivery.worker.takeDue();
  await delivery.worker.idle();
  assert.equal(provider.attempts.length, 1);
  context.clock.advance(1);
  await delivery.worker.takeDue();
  await delivery.worker.idle();
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
  context.clock.advance(1_000);
  await delivery.worker.takeDue();
  await delivery.worker.idle();
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

test("what another process took over meanwhile is not recorded twice", async (t) => {
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
  assert.deepEqual(await other.settle([{ lease, notificationId: id, results, news: null, next }]), [
    "ok",
  ]);
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
  await delivery.worker.takeDue();
  await delivery.worker.idle();
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
  const dead = createDelivery({
    context,
    nodeId: "node-0",
    providers: [],
    random: () => 0.5,
    // A process that died before it filed anything never settles.
    file: () => new Promise(() => {}),
    tell: () => {},
    onDeviceChanged: () => {},
    onAccepted: () => {},
  });
  const id = await accept({ ...bench, delivery: dead }, [device]);
  assert.equal((await delivery.stats()).due, 0);
  await delivery.worker.start();
  await delivery.worker.idle();
  assert.equal(provider.attempts.length, 1);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});
