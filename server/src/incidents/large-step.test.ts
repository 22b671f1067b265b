import assert from "node:assert/strict";
import test from "node:test";
import { insertPausedDevices } from "../../test/contract/insert-paused-devices.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import {
  createTriggerOrder,
  startIncidentBench,
  type IncidentBench,
} from "../../test/support/incident-bench.ts";
import type { EscalationStep, EscalationTarget } from "./policies/policy.ts";
import { findIncident } from "./store/incidents.ts";
import { listEntries } from "./store/events.ts";

/** Triggers an emergency, and returns its id. */
async function ring(bench: IncidentBench, steps: readonly EscalationStep[]): Promise<string> {
  const policy = { policyId: "p", name: "P", steps, remindAfterSeconds: null };
  const result = await bench.incidents.trigger(createTriggerOrder(bench, { policy }));
  await bench.waitUntilIdle();
  return result.kind === "changed" ? result.change.incident.id : assert.fail();
}

/** Adds 501 paused devices to the bench's account, and one that is not paused. Returns that one as a target. */
async function addManyDevices(bench: IncidentBench): Promise<EscalationTarget> {
  const { context, accountId } = bench;
  await insertPausedDevices({ app: { context } }, { accountId }, 501);
  return { kind: "device", deviceId: await addDevice(bench, "good/1") };
}

/** Returns the steps, rounds and pushes of an incident. A push has the number of its devices; -1 if it has too many. */
async function readHistory({ context }: IncidentBench, id: string): Promise<readonly string[]> {
  return (await listEntries(context, id)).flatMap(({ kind, detail }) => {
    const { step, round, cause, deviceCount } = detail;
    if (kind === "push") return [`${cause} to ${deviceCount}`];
    return kind === "opened" ? [] : [`${kind} ${step ?? round}`];
  });
}

async function readPriorities({ context }: IncidentBench): Promise<readonly string[]> {
  const rows = await context.database.db
    .selectFrom("notification")
    .select("priority")
    .where("cause", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(({ priority }) => String(priority));
}

test("a first step of more than 500 devices is told once, as high, and the next step rings", async (t) => {
  const bench = await startIncidentBench(t);
  const deviceTarget = await addManyDevices(bench);
  const id = await ring(bench, [
    { afterSeconds: 0, targets: [{ kind: "me" }] },
    { afterSeconds: 50, targets: [deviceTarget] },
  ]);
  assert.equal((await findIncident(bench.context, id))?.state, "triggered");
  await bench.advance(50_000);
  await bench.advance(10_000);
  assert.deepEqual(await readHistory(bench, id), [
    "step 1",
    "trigger to -1",
    "step 2",
    "step to 1",
    "ring 1",
    "ring to 1",
  ]);
  assert.deepEqual(await readPriorities(bench), ["high", "emergency", "emergency"]);
});

test("a step with a target of too many devices rings its other targets", async (t) => {
  const bench = await startIncidentBench(t);
  const deviceTarget = await addManyDevices(bench);
  const id = await ring(bench, [{ afterSeconds: 0, targets: [{ kind: "me" }, deviceTarget] }]);
  await bench.advance(60_000);
  assert.deepEqual(await readHistory(bench, id), [
    "step 1",
    "trigger to -1",
    "trigger to 1",
    "ring 1",
    "ring to 1",
  ]);
});

test("without a further step, an emergency for too many devices rings nobody", async (t) => {
  const bench = await startIncidentBench(t);
  await addManyDevices(bench);
  const id = await ring(bench, [{ afterSeconds: 0, targets: [{ kind: "me" }] }]);
  await bench.advance(60_000);
  assert.equal((await findIncident(bench.context, id))?.expiresAt, null);
  assert.deepEqual(await readHistory(bench, id), ["step 1", "trigger to -1"]);
});
