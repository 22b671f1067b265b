import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { notificationTo } from "../../../test/support/notifications.ts";
import { testContext } from "../../../test/support/room.ts";
import type { DeviceState } from "#devices/store/device-state.ts";
import { untried, type DeliveryResult, type PendingDevice } from "../delivery.ts";
import { LEASE_MS } from "../lease.ts";
import type { Report } from "../result/watch.ts";
import { Breakers } from "../services/breakers.ts";
import type { SettleAck, Settlement } from "../store/delivery-store.ts";
import { HeldLease } from "./held-lease.ts";
import { Progress } from "./progress.ts";

/** Returns the progress of a job with `devices` devices, and its recorded steps. `state.isOpen` delays them. */
async function startProgress(t: TestContext, { devices = 300 } = {}) {
  const context = await testContext(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { now, elapsed } = context;
  const steps: Settlement[] = [];
  const state: { ack: SettleAck; isOpen: Promise<void> } = { ack: "ok", isOpen: Promise.resolve() };
  const recovered: string[] = [];
  const breakers = new Breakers({
    now,
    elapsed,
    nodeId: "node-1",
    onChange() {},
    onBack: (service) => recovered.push(service),
  });
  const settle = async (settlement: Settlement) => {
    steps.push(settlement);
    await state.isOpen;
    return state.ack;
  };
  const reports: Report[] = [];
  const pending = untried(
    Array.from({ length: devices }, (_, index) => `d${index}`),
    now(),
  );
  const work = { kind: "devices", pending } as const;
  const lease = { jobId: "j", epoch: 1, until: now() + LEASE_MS };
  const notification = notificationTo(context, "ann");
  const job = { lease, lane: 0, notification, work, crashes: 0, suspect: null } as const;
  const held = new HeldLease(lease, context);
  const deps = { ...context, settle, breakers, publish() {} };
  const onReport = (report: Report) => reports.push(report);
  const progress = new Progress(deps, { job, held, pending, onReport });
  const noteResults = (from: number, upTo: number) => {
    for (let index = from; index < upTo; index += 1) {
      const deviceId = `d${index}`;
      const ended = { provider: "fcm", state: "accepted", code: "accepted", detail: null } as const;
      const result: DeliveryResult = { deviceId, ...ended, attempts: 1, at: now() };
      const deviceState: DeviceState = { deviceId, state: "accepted", isSuspect: false };
      progress.note({ report: { kind: "final", result }, deviceState });
    }
  };
  const noteWait = (deviceId: string, change: Partial<PendingDevice>) => {
    const before = progress.owedTo(deviceId);
    assert.ok(before !== null);
    const report = { kind: "pending", pending: { ...before, ...change } } as const;
    progress.note({ report, deviceState: null });
  };
  return {
    context,
    progress,
    held,
    breakers,
    recovered,
    reports,
    steps,
    state,
    noteResults,
    noteWait,
  };
}

const countsOf = (steps: readonly Settlement[]) =>
  steps.map(({ next, results, news }) => [next.kind, results.length, news?.states.length]);

test("results are recorded at a hundred, or after a quarter of a second", async (t) => {
  const { steps, noteResults, held, context } = await startProgress(t);
  noteResults(0, 99);
  await nextTurn();
  assert.deepEqual(countsOf(steps), []);
  context.clock.advance(1_000);
  noteResults(99, 100);
  await nextTurn();
  assert.deepEqual(countsOf(steps), [["checkpoint", 100, 100]]);
  const until = context.now() + LEASE_MS;
  assert.equal(held.lease.until, until);
  const [step] = steps;
  assert.ok(step?.next.kind === "checkpoint");
  assert.deepEqual([step.next.until, step.next.pending.length], [until, 200]);
  // The devices were read before the run, so later changes by their owners take precedence.
  assert.deepEqual([step.news?.at, step.news?.readAt], [context.now(), context.now() - 1_000]);
  noteResults(100, 101);
  t.mock.timers.tick(249);
  await nextTurn();
  assert.equal(steps.length, 1);
  t.mock.timers.tick(1);
  await nextTurn();
  assert.deepEqual(countsOf(steps).slice(1), [["checkpoint", 1, 1]]);
});

test("a checkpoint without new results is skipped", async (t) => {
  const { steps, state, noteResults } = await startProgress(t);
  const gate = Promise.withResolvers<void>();
  state.isOpen = gate.promise;
  noteResults(0, 100);
  await nextTurn();
  noteResults(100, 101);
  t.mock.timers.tick(250);
  noteResults(101, 102);
  t.mock.timers.tick(250);
  gate.resolve();
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  assert.deepEqual(countsOf(steps), [
    ["checkpoint", 100, 100],
    ["checkpoint", 2, 2],
  ]);
});

for (const method of ["record", "finish"] as const) {
  test(`${method} waits for a running checkpoint and records each result and state once`, async (t) => {
    const { progress, steps, state, noteResults } = await startProgress(t, { devices: 101 });
    const gate = Promise.withResolvers<void>();
    state.isOpen = gate.promise;
    noteResults(0, 100);
    await nextTurn();
    noteResults(100, 101);
    const done = progress[method]();
    await nextTurn();
    // A result that is noted meanwhile is not part of the running step, which may already be written.
    assert.deepEqual(countsOf(steps), [["checkpoint", 100, 100]]);
    gate.resolve();
    await done;
    assert.equal(steps.at(-1)?.next.kind, method === "record" ? "checkpoint" : "done");
    const all = Array.from({ length: 101 }, (_, index) => `d${index}`);
    const results = steps.flatMap((step) => step.results);
    const states = steps.flatMap(({ news }) => news?.states ?? []);
    for (const recorded of [results, states]) {
      assert.deepEqual(
        recorded.map(({ deviceId }) => deviceId),
        all,
      );
    }
  });
}

test("results of a failed checkpoint go with the next one", async (t) => {
  const { steps, state, noteResults } = await startProgress(t);
  state.isOpen = Promise.reject(new Error("a fault of ours"));
  noteResults(0, 101);
  await nextTurn();
  state.isOpen = Promise.resolve();
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  assert.deepEqual(countsOf(steps), [
    ["checkpoint", 101, 101],
    ["checkpoint", 101, 101],
  ]);
});

test("a run ends with the earliest retry time and the services that its devices wait for", async (t) => {
  const { context, progress, breakers, recovered, reports, steps, noteResults, noteWait } =
    await startProgress(t, {
      devices: 4,
    });
  const now = context.now();
  const epoch = breakers.epochOf("fcm");
  noteResults(0, 1);
  noteWait("d1", { runAt: now + 9_000, waitsFor: { service: "fcm", epoch } });
  noteWait("d2", { runAt: now + 5_000 });
  noteWait("d3", { runAt: now + 7_000, waitsFor: { service: "fcm", epoch } });
  assert.equal(reports.length, 4);
  assert.equal(await progress.finish(), now + 5_000);
  const [step] = steps;
  assert.ok(step?.next.kind === "retry");
  const { at, waitsFor, pending } = step.next;
  assert.deepEqual([at, waitsFor, pending.length], [now + 5_000, ["fcm"], 3]);
  assert.deepEqual(recovered, []);
});

test("a service that was released before its waits were recorded is released again", async (t) => {
  const { context, progress, breakers, recovered, noteWait } = await startProgress(t, {
    devices: 2,
  });
  const noted = { deviceId: "d0", isProbe: false, startedAt: context.elapsed() } as const;
  await breakers.admit("fcm", { deviceId: "d0", isNew: true, isFirstAlone: false });
  const stale = { service: "fcm", epoch: breakers.epochOf("fcm") };
  const reason = { code: "provider_misconfigured", detail: null } as const;
  breakers.note("fcm", { ...noted, outcome: { kind: "refused", reason } });
  context.clock.advance(300_000);
  const admission = await breakers.admit("fcm", {
    deviceId: "d0",
    isNew: true,
    isFirstAlone: false,
  });
  assert.ok(admission.kind === "go" && admission.isProbe);
  const startedAt = context.elapsed();
  const accepted = { kind: "accepted", receipt: null } as const;
  breakers.note("fcm", { deviceId: "d0", outcome: accepted, isProbe: true, startedAt });
  assert.deepEqual(recovered, ["fcm"]);
  noteWait("d0", { runAt: context.now() + 1, waitsFor: stale });
  noteWait("d1", { runAt: context.now() + 1, waitsFor: stale });
  await progress.finish();
  assert.deepEqual(recovered, ["fcm", "fcm"]);
});

test("a run whose lease is lost begins no more attempts", async (t) => {
  const { progress, held, state, noteResults } = await startProgress(t);
  state.ack = "fenced";
  noteResults(0, 1);
  await progress.record();
  assert.equal(held.signal.aborted, true);
});
