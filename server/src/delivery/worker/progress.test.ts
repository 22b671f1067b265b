import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import type { DeviceState } from "#devices/store/device-state.ts";
import { createPendingDevices, type DeliveryResult, type PendingDevice } from "../delivery.ts";
import { LEASE_MS } from "../lease.ts";
import type { Report } from "../result/watch.ts";
import { Breakers } from "../services/breakers.ts";
import type { SettleAck, Settlement } from "../store/delivery-store.ts";
import { HeldLease } from "./held-lease.ts";
import { Progress } from "./progress.ts";

const NO_APPS = { providers: new Map(), endWaits: async () => {}, findAct: async () => null };

/**
 * Returns the progress of a job with `devices` devices, and its recorded settlements. Each waits for `state.opened`.
 */
async function startProgress(t: TestContext, { devices = 300 } = {}) {
  const context = await createRoomContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { now, elapsed } = context;
  const settlements: Settlement[] = [];
  const state: { ack: SettleAck; opened: Promise<void> } = { ack: "ok", opened: Promise.resolve() };
  const released: string[] = [];
  const breakers = new Breakers({
    now,
    elapsed,
    nodeId: "node-1",
    onChange() {},
    onReleased: (service) => released.push(service),
  });
  const settle = async (settlement: Settlement) => {
    settlements.push(settlement);
    await state.opened;
    return state.ack;
  };
  const reports: Report[] = [];
  const pending = createPendingDevices(
    Array.from({ length: devices }, (_, index) => `d${index}`),
    now(),
  );
  const work = { kind: "devices", pending } as const;
  const lease = { jobId: "j", epoch: 1, until: now() + LEASE_MS };
  const notification = createNotification(context, "ann");
  const job = { lease, lane: 0, notification, work, crashes: 0, suspect: null } as const;
  const heldLease = new HeldLease(lease, context);
  const deps = { ...context, ...NO_APPS, settle, breakers, publishReport() {} };
  const onReport = (report: Report) => reports.push(report);
  const progress = new Progress(deps, { job, heldLease, pending, onReport });
  const addResults = (from: number, upTo: number) => {
    for (let index = from; index < upTo; index += 1) {
      const deviceId = `d${index}`;
      const ended = { provider: "fcm", state: "accepted", code: "accepted", detail: null } as const;
      const result: DeliveryResult = { deviceId, ...ended, attempts: 1, at: now() };
      const deviceState: DeviceState = { deviceId, state: "accepted", isSuspect: false };
      progress.addResult({ report: { kind: "final", result }, deviceState });
    }
  };
  const addWait = (deviceId: string, change: Partial<PendingDevice>) => {
    const pendingBefore = progress.findPending(deviceId);
    assert.ok(pendingBefore !== null);
    const report = { kind: "pending", pending: { ...pendingBefore, ...change } } as const;
    progress.addResult({ report, deviceState: null });
  };
  return {
    context,
    progress,
    heldLease,
    breakers,
    released,
    reports,
    settlements,
    state,
    addResults,
    addWait,
  };
}

const listCounts = (settlements: readonly Settlement[]) =>
  settlements.map(({ next, results, deviceStateUpdate }) => [
    next.kind,
    results.length,
    deviceStateUpdate?.states.length,
  ]);

test("results are recorded once there are a hundred, or after a quarter of a second", async (t) => {
  const { settlements, addResults, heldLease, context } = await startProgress(t);
  addResults(0, 99);
  await nextTurn();
  assert.deepEqual(listCounts(settlements), []);
  context.clock.advance(1_000);
  addResults(99, 100);
  await nextTurn();
  assert.deepEqual(listCounts(settlements), [["checkpoint", 100, 100]]);
  const until = context.now() + LEASE_MS;
  assert.equal(heldLease.lease.until, until);
  const [settlement] = settlements;
  assert.ok(settlement?.next.kind === "checkpoint");
  assert.deepEqual([settlement.next.until, settlement.next.pending.length], [until, 200]);
  // The devices were read before the run, so later changes by their owners take precedence.
  assert.deepEqual(
    [settlement.deviceStateUpdate?.at, settlement.deviceStateUpdate?.readAt],
    [context.now(), context.now() - 1_000],
  );
  addResults(100, 101);
  t.mock.timers.tick(249);
  await nextTurn();
  assert.equal(settlements.length, 1);
  t.mock.timers.tick(1);
  await nextTurn();
  assert.deepEqual(listCounts(settlements).slice(1), [["checkpoint", 1, 1]]);
});

test("a checkpoint without new results is skipped", async (t) => {
  const { settlements, state, addResults } = await startProgress(t);
  const gate = Promise.withResolvers<void>();
  state.opened = gate.promise;
  addResults(0, 100);
  await nextTurn();
  addResults(100, 101);
  t.mock.timers.tick(250);
  addResults(101, 102);
  t.mock.timers.tick(250);
  gate.resolve();
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  assert.deepEqual(listCounts(settlements), [
    ["checkpoint", 100, 100],
    ["checkpoint", 2, 2],
  ]);
});

for (const method of ["flush", "finish"] as const) {
  test(`${method} waits for a running checkpoint and records each result and state once`, async (t) => {
    const { progress, settlements, state, addResults } = await startProgress(t, { devices: 101 });
    const gate = Promise.withResolvers<void>();
    state.opened = gate.promise;
    addResults(0, 100);
    await nextTurn();
    addResults(100, 101);
    const done = progress[method]();
    await nextTurn();
    // A result that is recorded meanwhile is not part of the running settlement, which may already be written.
    assert.deepEqual(listCounts(settlements), [["checkpoint", 100, 100]]);
    gate.resolve();
    await done;
    assert.equal(settlements.at(-1)?.next.kind, method === "flush" ? "checkpoint" : "done");
    const deviceIds = Array.from({ length: 101 }, (_, index) => `d${index}`);
    const results = settlements.flatMap((settlement) => settlement.results);
    const states = settlements.flatMap(({ deviceStateUpdate }) => deviceStateUpdate?.states ?? []);
    for (const recorded of [results, states]) {
      assert.deepEqual(
        recorded.map(({ deviceId }) => deviceId),
        deviceIds,
      );
    }
  });
}

test("results of a failed checkpoint go with the next one", async (t) => {
  const { settlements, state, addResults } = await startProgress(t);
  state.opened = Promise.reject(new Error("unexpected"));
  addResults(0, 101);
  await nextTurn();
  state.opened = Promise.resolve();
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  assert.deepEqual(listCounts(settlements), [
    ["checkpoint", 101, 101],
    ["checkpoint", 101, 101],
  ]);
});

test("a run ends with the earliest retry time and the services that its devices wait for", async (t) => {
  const { context, progress, breakers, released, reports, settlements, addResults, addWait } =
    await startProgress(t, {
      devices: 4,
    });
  const now = context.now();
  const epoch = breakers.getEpoch("fcm");
  addResults(0, 1);
  addWait("d1", { runAt: now + 9_000, waitsFor: { service: "fcm", epoch } });
  addWait("d2", { runAt: now + 5_000 });
  addWait("d3", { runAt: now + 7_000, waitsFor: { service: "fcm", epoch } });
  assert.equal(reports.length, 4);
  assert.equal(await progress.finish(), now + 5_000);
  const [settlement] = settlements;
  assert.ok(settlement?.next.kind === "retry");
  const { at, waitsFor, pending } = settlement.next;
  assert.deepEqual([at, waitsFor, pending.length], [now + 5_000, ["fcm"], 3]);
  assert.deepEqual(released, []);
});

test("a service that was released before its waits were recorded is released again", async (t) => {
  const { context, progress, breakers, released, addWait } = await startProgress(t, {
    devices: 2,
  });
  const attempt = { deviceId: "d0", isProbe: false, startedAt: context.elapsed() } as const;
  await breakers.admit("fcm", { deviceId: "d0", isNew: true, shouldAwaitFirst: false });
  const stale = { service: "fcm", epoch: breakers.getEpoch("fcm") };
  const reason = { code: "provider_misconfigured", detail: null } as const;
  breakers.recordOutcome("fcm", { ...attempt, outcome: { kind: "refused", reason } });
  context.clock.advance(300_000);
  const admission = await breakers.admit("fcm", {
    deviceId: "d0",
    isNew: true,
    shouldAwaitFirst: false,
  });
  assert.ok(admission.kind === "go" && admission.isProbe);
  const startedAt = context.elapsed();
  const accepted = { kind: "accepted", receipt: null } as const;
  breakers.recordOutcome("fcm", { deviceId: "d0", outcome: accepted, isProbe: true, startedAt });
  assert.deepEqual(released, ["fcm"]);
  addWait("d0", { runAt: context.now() + 1, waitsFor: stale });
  addWait("d1", { runAt: context.now() + 1, waitsFor: stale });
  await progress.finish();
  assert.deepEqual(released, ["fcm", "fcm"]);
});

test("a fenced settlement makes its run lose the lease", async (t) => {
  const { progress, heldLease, state, addResults } = await startProgress(t);
  state.ack = "fenced";
  addResults(0, 1);
  await progress.flush();
  assert.equal(heldLease.signal.aborted, true);
});
