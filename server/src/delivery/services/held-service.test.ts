import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  accept,
  addDevice,
  createNode,
  startBench,
  statesOf,
  workOnce,
  type Bench,
} from "../../../test/support/delivery-bench.ts";
import { startOwnTime } from "../../../test/support/own-time.ts";
import { ACCEPTED } from "../../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { findRecorded } from "#notifications/log/store.ts";
import { audienceDevices } from "#devices/audiences/store.ts";

const MINUTE = 60_000;
const REASON = { code: "provider_misconfigured", detail: "Apple answered 403" } as const;
const REFUSED: Outcome = { kind: "refused", reason: REASON };

async function pendingOf({ context }: Bench, id: string) {
  return (await findRecorded(context, [id])).pending.get(id) ?? [];
}

async function turn({ context, delivery }: Bench, ms: number): Promise<void> {
  context.clock.advance(ms);
  await workOnce(delivery.worker);
}

test("a service that refuses our credentials keeps its devices; those of others are reached", async (t) => {
  const changes: string[] = [];
  const bench = await startBench(t, {
    onServiceChanged: ({ service, kind }) => changes.push(`${service} ${kind}`),
  });
  const { provider, delivery } = bench;
  provider.probesFirst = true;
  const devices = [];
  for (let index = 0; index < 20; index += 1) devices.push(await addDevice(bench, `bad/${index}`));
  devices.push(await addDevice(bench, "good/1"));
  for (let index = 0; index < 20; index += 1) provider.script(`bad/${index}`, async () => REFUSED);
  const id = await accept(bench, devices);
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
  const pending = await pendingOf(bench, id);
  assert.equal(pending.length, 20);
  assert.ok(pending.every(({ code, attempts }) => code === REASON.code && attempts === 0));
  // The first refusal spared the others.
  assert.equal(provider.attempts.filter(({ endpoint }) => endpoint.startsWith("bad")).length, 1);
  assert.deepEqual(changes, ["bad held"]);
  assert.deepEqual(delivery.heldServices(), [{ service: "bad", cause: "credentials" }]);
});

/** Many times the interval between two steps of a release. */
const RELEASED_WITHIN_MS = 10_000;

test("held messages go out at once when one is accepted again, before their own moments", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  const devices = [await addDevice(bench, "bad/1"), await addDevice(bench, "bad/2")];
  for (const name of ["bad/1", "bad/2"]) provider.script(name, async () => REFUSED);
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await accept(bench, devices));
  await delivery.worker.idle();
  for (const name of ["bad/1", "bad/2"]) provider.script(name, async () => ACCEPTED);
  // A few are asked how the service does; the rest is not due for long.
  context.clock.advance(5 * MINUTE);
  const ownMs = startOwnTime();
  for (
    let round = 0;
    (await delivery.stats()).jobs > 0 && ownMs() < RELEASED_WITHIN_MS;
    round += 1
  ) {
    await workOnce(delivery.worker);
    // A device whose queue was full is tried again after a second.
    if (round < 20) context.clock.advance(2_000);
    // A device that began to wait as the service recovered is released by the next step.
    await nextTurn();
  }
  for (const id of ids) assert.deepEqual(await statesOf(bench, id), ["accepted", "accepted"]);
});

test("a new process asks again at once: its credentials may be mended", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  const device = await addDevice(bench, "bad/1");
  provider.script("bad/1", async () => REFUSED);
  const id = await accept(bench, [device]);
  await delivery.worker.idle();
  await delivery.worker.stop();
  provider.script("bad/1", async () => ACCEPTED);
  const next = createNode({ context, providers: [provider], nodeId: "node-2" });
  t.after(() => next.worker.stop(0));
  await next.worker.start();
  await next.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a failing service is asked by one message, and nobody is given up for it", async (t) => {
  const bench = await startBench(t);
  const { provider, delivery } = bench;
  const device = await addDevice(bench, "down/1");
  const reason = { code: "transient", detail: "503" } as const;
  provider.script("down/1", async () => ({ kind: "retry", reason, afterMs: null, counted: true }));
  const id = await accept(bench, [device]);
  await delivery.worker.idle();
  // Ten hours of an outage: more tries than are allowed against a device.
  for (let count = 0; count < 200; count += 1) await turn(bench, 3 * MINUTE);
  const [pending] = await pendingOf(bench, id);
  assert.ok(provider.attempts.length > 20, `${provider.attempts.length} attempts`);
  // One at each turn: all others wait.
  assert.ok(provider.attempts.length <= 202, `${provider.attempts.length} attempts`);
  assert.ok(pending !== undefined && pending.attempts < 12, `${pending?.attempts} counted`);
  provider.script("down/1", async () => ACCEPTED);
  await turn(bench, 3 * MINUTE);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a device that alone fails is given up after its attempts, while its service does well", async (t) => {
  const bench = await startBench(t);
  const { provider, delivery } = bench;
  const [bad, good] = [await addDevice(bench, "up/bad"), await addDevice(bench, "up/good")];
  const reason = { code: "transient", detail: "500" } as const;
  provider.script("up/bad", async () => ({ kind: "retry", reason, afterMs: null, counted: true }));
  const id = await accept(bench, [bad]);
  await delivery.worker.idle();
  for (let count = 0; count < 60; count += 1) {
    await accept(bench, [good]);
    await turn(bench, 6 * MINUTE);
  }
  const attempts = provider.attempts.filter(({ endpoint }) => endpoint === "up/bad");
  assert.equal(attempts.length, 12);
  assert.deepEqual(await statesOf(bench, id), ["failed"]);
});

test("an address that a service corrects is kept, unless the app registered since", async (t) => {
  const bench = await startBench(t);
  const { context, accountId, provider, delivery } = bench;
  const device = await addDevice(bench, "a/1");
  const learned = {
    provider: "webpush",
    endpoint: "a/1",
    keys: { p256dh: "better", auth: "" },
  } as const;
  provider.script("a/1", async () => ({ ...ACCEPTED, kind: "accepted", receipt: null, learned }));
  await accept(bench, [device]);
  await delivery.worker.idle();
  const [target] = await audienceDevices(context, { kind: "account", accountId }, { limit: 1 });
  assert.deepEqual(target?.address, learned);
});

test("two messages to one device are under way one after the other", async (t) => {
  const bench = await startBench(t);
  const { provider, delivery } = bench;
  const device = await addDevice(bench, "a/1");
  let underWay = 0;
  let most = 0;
  provider.script("a/1", async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return ACCEPTED;
  });
  for (let count = 0; count < 5; count += 1) await accept(bench, [device]);
  await delivery.worker.idle();
  assert.equal(provider.attempts.length, 5);
  assert.equal(most, 1);
});

test("a device that registered after the word that it is gone is kept, and asked less and less", async (t) => {
  const bench = await startBench(t);
  const { provider } = bench;
  const device = await addDevice(bench, "a/1");
  const reason = { code: "device_gone", detail: null } as const;
  provider.script("a/1", async () => ({ kind: "gone", asOf: 0, reason }));
  const id = await accept(bench, [device]);
  for (let round = 0; round < 10; round += 1) await turn(bench, 0);
  assert.equal(provider.attempts.length, 2);
  for (let count = 0; count < 40; count += 1) await turn(bench, 10 * MINUTE);
  assert.equal(provider.attempts.length, 12);
  assert.deepEqual(await statesOf(bench, id), ["failed"]);
  const { context, accountId } = bench;
  const kept = await audienceDevices(context, { kind: "account", accountId }, { limit: 2 });
  assert.equal(kept.length, 1);
});

test("a message that waits while a service throttles goes out when that is over", async (t) => {
  const bench = await startBench(t);
  const { provider, delivery } = bench;
  const reason = { code: "rate_limited", detail: null } as const;
  const again: Outcome = { kind: "retry", reason, afterMs: MINUTE, isForAll: true, counted: false };
  provider.script("s/1", async () => again);
  await accept(bench, [await addDevice(bench, "s/1")]);
  await delivery.worker.idle();
  const id = await accept(bench, [await addDevice(bench, "s/2")]);
  await delivery.worker.idle();
  const [pending] = await pendingOf(bench, id);
  // By itself it would come back among many.
  const ownMoment = bench.context.now() + MINUTE;
  assert.ok(pending !== undefined && pending.runAt > ownMoment + 30_000, `${pending?.runAt}`);
  await turn(bench, MINUTE);
  while ((await statesOf(bench, id)).length === 0) await turn(bench, 0);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});
