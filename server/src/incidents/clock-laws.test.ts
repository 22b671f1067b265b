import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice } from "../../test/support/delivery-bench.ts";
import { eventually } from "../../test/support/eventually.ts";
import {
  addIncidentNode,
  createTriggerOrder,
  startIncidentBench,
} from "../../test/support/incident-bench.ts";
import { createTimerWorker, listTimers } from "../../test/support/timers.ts";
import type { EscalationTarget } from "./policies/policy.ts";
import { listEntries } from "./store/events.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The clock advances in steps of this length. */
const TICK_MS = 10 * SECOND_MS;
const STEPS_S = [0, 120, 400] as const;
const EXPIRE_S = 900;

/** Opens an incident with a device for each step, and starts two nodes whose workers fire its timers. */
async function startRinging(t: TestContext) {
  const bench = await startIncidentBench(t);
  const { context } = bench;
  // Different random numbers let the workers begin at different timers.
  const workers = [0, 0.6].map((random) => createTimerWorker(t, context, { random: () => random }));
  const nodes = workers.map((worker) =>
    addIncidentNode(t, bench, { nodeId: context.newId() }, worker),
  );
  for (const worker of workers) worker.start();
  const steps: { afterSeconds: number; targets: readonly EscalationTarget[] }[] = [];
  for (const afterSeconds of STEPS_S) {
    const deviceId = await addDevice(bench, `good/${afterSeconds}`);
    steps.push({ afterSeconds, targets: [{ kind: "device", deviceId }] });
  }
  const policy = { policyId: "policy", name: "Policy", steps, remindAfterSeconds: null };
  const result = await bench.incidents.trigger(
    createTriggerOrder(bench, {
      policy,
      repeatEveryMs: 60_000,
      expireAfterMs: EXPIRE_S * SECOND_MS,
    }),
  );
  const id = result.kind === "changed" ? result.change.incident.id : assert.fail();
  await bench.waitUntilIdle();
  return { nodes, workers, id };
}

type Ringing = Awaited<ReturnType<typeof startRinging>>;

/** Advances the clock, and resolves once nothing is due. */
async function advance({ nodes: [node, ...others], workers }: Ringing, ms: number) {
  if (node === undefined) return;
  node.context.clock.advance(ms);
  await eventually(
    async () => {
      for (const worker of workers) worker.wake();
      return listTimers(node.context);
    },
    (timers) => timers.every(({ dueInMs, setInMs }) => dueInMs > 0 && setInMs <= SECOND_MS),
  );
  for (const one of [node, ...others]) await one.waitUntilIdle();
}

/**
 * Lets 20 minutes pass, with one jump of the clock. Returns each entry of the history with the seconds that had passed
 * when it was made; the jump does not count.
 */
async function observeHistory(ringing: Ringing, jump: { atMs: number; ms: number }) {
  const { nodes, id } = ringing;
  const [node] = nodes;
  if (node === undefined) return [];
  const observedEntries: (readonly [entry: string, afterSeconds: number])[] = [];
  for (let elapsedMs = 0; elapsedMs <= 1_200 * SECOND_MS; elapsedMs += TICK_MS) {
    const jumpMs = elapsedMs === jump.atMs ? jump.ms : 0;
    // Only `elapsedMs` counts, so the jump does not.
    await advance(ringing, elapsedMs === 0 ? 0 : TICK_MS + jumpMs);
    const entries = (await listEntries(node.context, id)).filter(({ kind }) => kind !== "push");
    for (const { kind, detail } of entries.slice(observedEntries.length))
      observedEntries.push([
        `${kind} ${detail["step"] ?? detail["round"] ?? ""}`.trim(),
        elapsedMs / 1_000,
      ]);
  }
  return observedEntries;
}

/** Before the first step is reviewed, before the second step, and after the second step. */
const MOMENTS_MS = [20 * SECOND_MS, 80 * SECOND_MS, 200 * SECOND_MS];
const STEPS = ["step 1", "step 2", "step 3"];

// Law E7 of docs/promises.md.
for (const hours of [1, 24]) {
  for (const atMs of MOMENTS_MS) {
    // A duration that ran when the clock went back begins again.
    const lateMaxS = (atMs + TICK_MS) / SECOND_MS;

    test(`E7: if the clock goes back ${hours} h after ${atMs / 1_000} s, nothing is early or more than ${lateMaxS} s late`, async (t) => {
      const ringing = await startRinging(t);
      const observedEntries = await observeHistory(ringing, { atMs, ms: -hours * HOUR_MS });
      const steps = observedEntries.filter(([entry]) => entry.startsWith("step"));
      assert.deepEqual(
        steps.map(([entry]) => entry),
        STEPS,
      );
      const assertInTime = (
        [entry, afterSeconds]: (typeof observedEntries)[number],
        planned: number,
      ) =>
        assert.ok(
          afterSeconds >= planned && afterSeconds <= planned + lateMaxS,
          `${entry} came after ${afterSeconds} s`,
        );
      for (const [index, step] of steps.entries()) assertInTime(step, STEPS_S[index] ?? 0);
      const rings = observedEntries.filter(([entry]) => entry.startsWith("ring"));
      for (const [index, ring] of rings.entries()) assertInTime(ring, (index + 1) * 60);
      const last = observedEntries.at(-1);
      assert.ok(last !== undefined && last[0] === "expired");
      assertInTime(last, EXPIRE_S);
    });

    test(`E7: if the clock goes ahead ${hours} h after ${atMs / 1_000} s, each step is reached once, and one round replaces the skipped ones`, async (t) => {
      const ringing = await startRinging(t);
      const observedEntries = await observeHistory(ringing, { atMs, ms: hours * HOUR_MS });
      const entries = observedEntries.map(([entry]) => entry);
      assert.deepEqual(
        entries.filter((entry) => entry.startsWith("step")),
        STEPS,
      );
      assert.deepEqual(entries.at(-1), "expired");
      const rounds = entries.filter((entry) => entry.startsWith("ring"));
      assert.deepEqual(
        rounds,
        rounds.map((_, index) => `ring ${index + 1}`),
      );
      // The jump skips all its rounds but one.
      assert.equal(rounds.length, Math.floor((atMs - 1) / 60_000) + 1);
    });
  }
}
