import assert from "node:assert/strict";
import test from "node:test";
import { SERVER } from "#audit/event.ts";
import { eventually } from "../../test/support/eventually.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import {
  createAct,
  createTriggerOrder,
  startIncidentNodes,
  type IncidentBench,
  type OrderOptions,
} from "../../test/support/incident-bench.ts";
import type { Outcome } from "#providers/provider.ts";
import type { EscalationTarget } from "./policies/policy.ts";
import type { PolicySnapshot } from "./policies/snapshot.ts";
import { listEntries } from "./store/events.ts";

const HOUR_MS = 3_600_000;

/** Returns a policy with a device of its own for each step. */
async function createPolicy(
  bench: IncidentBench,
  steps: readonly (readonly [afterSeconds: number, endpoint: string])[],
): Promise<PolicySnapshot> {
  const created: { afterSeconds: number; targets: readonly EscalationTarget[] }[] = [];
  for (const [afterSeconds, endpoint] of steps) {
    const deviceId = await addDevice(bench, endpoint);
    created.push({ afterSeconds, targets: [{ kind: "device", deviceId }] });
  }
  return { policyId: "policy", name: "Policy", steps: created, remindAfterSeconds: null };
}

async function open(bench: IncidentBench, options: OrderOptions): Promise<string> {
  const result = await bench.incidents.trigger(createTriggerOrder(bench, options));
  await bench.waitUntilIdle();
  return result.kind === "changed" ? result.change.incident.id : assert.fail();
}

/** Returns the history without pushes: each kind with its number, its reason and its lateness in milliseconds. */
async function readHistory({ context }: IncidentBench, incidentId: string) {
  const entries = await listEntries(context, incidentId);
  return entries.flatMap(({ kind, detail }) => {
    if (kind === "push") return [];
    const facts = [detail["step"] ?? detail["round"], detail["reason"], detail["lateMs"]];
    return [[kind, ...facts.filter((fact) => fact !== undefined)].join(" ")];
  });
}

// The laws E5, E6 and E8 of docs/promises.md.
test("E5: an incident that rings every 30 s has 20 rounds in 10 min, and its plan does not drift", async (t) => {
  const nodes = await startIncidentNodes(t, 3);
  const [bench] = nodes;
  const { context } = bench;
  await addDevice(bench, "good/1");
  const endsAt = context.now() + 600_000;
  const openedAt = context.now();
  const id = await open(bench, { repeatEveryMs: 30_000 });
  const plans = new Set<number>();
  while (context.now() < endsAt) {
    const stepMs = 1 + Math.floor(Math.random() * 4_000);
    context.clock.advance(Math.min(stepMs, endsAt - context.now()));
    const node = nodes[Math.floor(Math.random() * nodes.length)] ?? bench;
    await node.fireDue();
    const { db } = context.database;
    const [timer] = await db
      .selectFrom("timer")
      .select("run_at")
      .where("kind", "=", "ring")
      .execute();
    plans.add((timer?.run_at ?? 0) - openedAt);
  }
  const history = await readHistory(bench, id);
  assert.equal(history.filter((entry) => entry.startsWith("ring ")).length, 20);
  assert.deepEqual(
    [...plans],
    Array.from({ length: 21 }, (_, index) => (index + 1) * 30_000),
  );
  // The trigger, and 20 rounds.
  assert.equal(bench.provider.attempts.length, 21);
});

for (const { title, expireAfterMs, end } of [
  { title: "that still rings", expireAfterMs: 3 * HOUR_MS, end: [] },
  { title: "that should have expired", expireAfterMs: HOUR_MS / 2, end: ["expired 1861000"] },
]) {
  test(`E6: an incident ${title} rings once after an hour without a node`, async (t) => {
    const [bench, other] = await startIncidentNodes(t, 2);
    const policy = await createPolicy(bench, [
      [0, "good/1"],
      [100, "good/2"],
      [300, "good/3"],
    ]);
    const id = await open(bench, { policy, expireAfterMs });
    await bench.advance(60_000);
    assert.equal(bench.provider.attempts.length, 2);
    await other?.advance(HOUR_MS);
    await other?.advance(1_000);
    assert.deepEqual(await readHistory(bench, id), [
      "opened",
      "step 1 trigger 0",
      "ring 1 0",
      "step 2 planned 3560000",
      "ring 2 3540000",
      "step 3 planned 3360000",
      ...end,
    ]);
    // Each step pushes to one more device, and the late round to those of two steps.
    assert.equal(bench.provider.attempts.length, 6);
  });
}

const REJECTED: Outcome = { kind: "rejected", reason: { code: "rejected", detail: null } };
const RETRIED: Outcome = {
  kind: "retry",
  reason: { code: "unreachable", detail: null },
  afterMs: HOUR_MS,
  isCounted: true,
};

test("E8: the step after one whose device failed is due at once", async (t) => {
  const [bench] = await startIncidentNodes(t, 1);
  bench.provider.script("bad/1", async () => REJECTED);
  const policy = await createPolicy(bench, [
    [0, "bad/1"],
    [900, "good/1"],
  ]);
  const id = await open(bench, { policy });
  await eventually(
    async () => {
      await bench.fireDue();
      return readHistory(bench, id);
    },
    (history) => history.includes("step 2 reached_nobody 0"),
  );
});

for (const [words, outcome] of [
  ["failed", REJECTED],
  ["is still tried", RETRIED],
] as const) {
  test(`E8: the step after one whose device ${words} follows within 31 s if the node died`, async (t) => {
    const [bench, other] = await startIncidentNodes(t, 2, {
      // A process that dies makes no review.
      createDeps: () => ({ publishReport() {} }),
    });
    bench.provider.script("bad/1", async () => outcome);
    const policy = await createPolicy(bench, [
      [0, "bad/1"],
      [900, "good/1"],
    ]);
    const id = await open(bench, { policy });
    await other?.advance(29_000);
    assert.equal((await readHistory(bench, id)).length, 2);
    await other?.advance(2_000);
    const history = await readHistory(bench, id);
    assert.deepEqual(history.at(-1), "step 2 reached_nobody 1000");
  });
}

test("the step after one that reached somebody waits for its time", async (t) => {
  const [bench] = await startIncidentNodes(t, 1);
  const policy = await createPolicy(bench, [
    [0, "good/1"],
    [900, "good/2"],
  ]);
  const id = await open(bench, { policy, repeatEveryMs: HOUR_MS });
  await bench.advance(31_000);
  await bench.advance(868_000);
  assert.equal((await readHistory(bench, id)).length, 2);
  await bench.advance(1_000);
  assert.deepEqual((await readHistory(bench, id)).at(-1), "step 2 planned 0");
});

for (const { words, outcome, end } of [
  { words: "counts as reached if the device accepted", outcome: null, end: "step 2 passed_on 0" },
  {
    words: "counts as unreached if the device failed",
    outcome: REJECTED,
    end: "step 3 reached_nobody 1000",
  },
] as const) {
  test(`a step whose only device already rang ${words}`, async (t) => {
    const [bench, other] = await startIncidentNodes(t, 2, {
      // A process that dies makes no review.
      createDeps: () => ({ publishReport() {} }),
    });
    if (outcome !== null) bench.provider.script("one/1", async () => outcome);
    const policy = await createPolicy(bench, [
      [0, "one/1"],
      [900, "none/1"],
      [1_800, "good/3"],
    ]);
    const [first, , third] = policy.steps;
    const wellDevice = { kind: "device", deviceId: await addDevice(bench, "good/0") } as const;
    const steps = [
      // Another device of the first step is reached in any case.
      { afterSeconds: 0, targets: [...(first?.targets ?? []), wellDevice] },
      { afterSeconds: 900, targets: first?.targets ?? [] },
      ...(third === undefined ? [] : [third]),
    ];
    const id = await open(bench, { policy: { ...policy, steps }, repeatEveryMs: HOUR_MS });
    const act = createAct(bench);
    const escalation = { incidentId: id, kind: "escalate", act, actor: SERVER } as const;
    await bench.incidents.act({ ...escalation, content: null });
    await other?.advance(31_000);
    assert.equal((await readHistory(bench, id)).at(-1), end);
  });
}
