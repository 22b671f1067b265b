import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { IncidentRun, type IncidentStep } from "./incident-run.ts";
import { createWorld } from "./incident-world.ts";

const FAULTS = ["response_lost", "request_lost", "death_before", "death_after"] as const;

const actor = fc.constantFrom(0 as const, 1 as const);
const key = fc.constantFrom("a", "b");

const OPERATION = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      name: fc.constant("trigger" as const),
      key,
      text: fc.constantFrom("Disk full", "Disk fuller", "Disk dead"),
      priority: fc.constantFrom("low", "normal", "high", "emergency", "emergency", "emergency"),
      policy: fc.constantFrom(0, 1, 2),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      name: fc.constant("act" as const),
      key,
      kind: fc.constantFrom("acknowledge", "resolve", "escalate", "ring_again"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ name: fc.constant("fire early" as const), pick: fc.nat(20) }),
  },
);

const STEPS: fc.Arbitrary<readonly IncidentStep[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        name: fc.constant("do" as const),
        actor,
        operation: OPERATION,
        fault: fc.option(fc.constantFrom(...FAULTS), { freq: 3 }),
        interruption: fc.option(OPERATION, { freq: 3 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        name: fc.constant("fire" as const),
        actor,
        firesTwice: fc.boolean(),
        bothProcessesFire: fc.boolean(),
        fault: fc.option(fc.constantFrom(...FAULTS), { freq: 4 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        name: fc.constant("advance" as const),
        ms: fc.constantFrom(1_000, 29_999, 30_000, 60_000, 61_000, 130_000, 700_000),
      }),
    },
  ),
  { minLength: 2, maxLength: 30, size: "max" },
);

/**
 * Runs `count` random sequences of triggers, acts, timers and crashes, with two processes on one database and with a
 * model in memory. The test fails if incidents, timers, histories, pushes or feeds differ, or if an invariant is
 * broken. Returns the numbers of triggers and deliveries.
 */
export async function runIncidentSequences(t: TestContext, count: number) {
  const world = await createWorld(t);
  const counts = { triggerCount: 0, deliveryCount: 0 };
  const property = fc.asyncProperty(
    STEPS,
    fc.constantFrom(0 as const, 1 as const),
    async (steps, sender) => {
      const run = await IncidentRun.begin(world, world.senders[sender]);
      for (const step of steps) await run.perform(step);
      const { actual, expected } = await run.readViews();
      assert.deepEqual(actual, expected);
      assert.deepEqual(await run.findViolations(), []);
      for (const { occurrences, history } of actual) {
        counts.triggerCount += occurrences;
        counts.deliveryCount += countDevices(history);
      }
    },
  );
  await fc.assert(property, { numRuns: count });
  return counts;
}

/** Returns the number of devices in the pushes of a history. */
function countDevices(history: readonly string[]): number {
  const pushes = history.filter((entry) => entry.startsWith("push "));
  return pushes.reduce((sum, entry) => sum + entry.split(", ").length, 0);
}
