import assert from "node:assert/strict";
import test from "node:test";
import { SERVER } from "#audit/event.ts";
import {
  addIncidentNode,
  createAct,
  createTriggerOrder,
  startIncidentBench,
  startIncidentNodes,
  type IncidentBench,
} from "../../test/support/incident-bench.ts";
import { CommitFaults } from "../../test/support/commit-faults.ts";
import { insertPausedDevices } from "../../test/contract/insert-paused-devices.ts";
import { copyIncident } from "../../test/support/incident-rows.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import { parseJsonSend } from "#notifications/request.ts";
import { takeIncidentOrder } from "./take-order.ts";
import { OPEN_INCIDENTS_MAX } from "./trigger.ts";

/** Triggers an emergency, and returns the incident's id; null if it opens none. */
async function ring(bench: IncidentBench, incidentKey: string | null): Promise<string | null> {
  const order = createTriggerOrder(bench, { incidentKey, expireAfterMs: 60_000 });
  const result = await bench.incidents.trigger(order);
  return result.kind === "changed" ? result.change.incident.id : null;
}

async function acknowledge(bench: IncidentBench, incidentId: string): Promise<void> {
  const act = createAct(bench);
  const order = { incidentId, kind: "acknowledge", act, content: null, actor: SERVER } as const;
  await bench.incidents.act(order);
}

const ENDS = [
  { words: "somebody acknowledged", end: acknowledge },
  { words: "nobody acknowledged in time", end: (bench: IncidentBench) => bench.advance(60_000) },
];

for (const { words, end } of ENDS) {
  test(`emergencies without a key that ${words} do not use up the limit of their sender`, async (t) => {
    const bench = await startIncidentBench(t);
    const id = (await ring(bench, null)) ?? assert.fail();
    await end(bench, id);
    await copyIncident(bench, id, OPEN_INCIDENTS_MAX);
    assert.notEqual(await ring(bench, null), null);
  });

  test(`incidents with a key that ${words} count towards the limit, because they may ring again`, async (t) => {
    const bench = await startIncidentBench(t);
    const id = (await ring(bench, "disk")) ?? assert.fail();
    await end(bench, id);
    await copyIncident(bench, id, OPEN_INCIDENTS_MAX - 2);
    assert.notEqual(await ring(bench, null), null);
    assert.equal(await ring(bench, null), null);
  });
}

test("emergencies that many processes send concurrently do not exceed the limit of their sender", async (t) => {
  const [bench, ...others] = await startIncidentNodes(t, 3);
  const nodes = [bench, ...others];
  const id = (await ring(bench, "disk")) ?? assert.fail();
  await copyIncident(bench, id, OPEN_INCIDENTS_MAX - 6);
  const keys = Array.from({ length: 8 }, (_, index) => `disk ${index}`);
  const rings = nodes.flatMap((node, index) =>
    keys.map((key) => ring(node, index === 0 ? null : `${key} of ${index}`)),
  );
  const opened = (await Promise.all(rings)).filter((one) => one !== null);
  assert.equal(opened.length, 5);
  // A trigger of an open incident opens nothing, so the limit does not concern it.
  assert.equal(await ring(bench, "disk"), id);
});

test("a trigger that loses the last place to another one is charged once for its devices", async (t) => {
  const bench = await startIncidentBench(t);
  const { context, accountId, delivery } = bench;
  const id = (await ring(bench, "disk")) ?? assert.fail();
  await copyIncident(bench, id, OPEN_INCIDENTS_MAX - 2);
  await insertPausedDevices({ app: { context } }, bench, 300);
  const faults = new CommitFaults();
  const database = faults.wrap(context.database);
  const { incidents } = addIncidentNode(t, { ...bench, context: { ...context, database } });
  const charges: number[] = [];
  const charge = createDeviceCharge((requestCount) => charges.push(requestCount));
  faults.arm({ kind: "interruption", run: () => copyIncident(bench, id, 1) });
  const deps = { context, delivery, incidents, allowOrigins: [], findPolicy: async () => null };
  const parameters = parseJsonSend({
    body: { title: "Memory full", body: "", priority: "emergency" },
    query: {},
    headers: {},
  });
  const interaction = parameters.interaction ?? assert.fail();
  const origin = {
    ip: "::1",
    userAgent: undefined,
    credential: { kind: "session", id: null },
  } as const;
  const sender = { keyId: null, sourceId: accountId, accountId, teamId: null, origin } as const;
  const audience = { kind: "account", accountId } as const;
  const order = { sender, audience, parameters, interaction, isAwaited: false, waitMs: 0, charge };
  const { response } = await takeIncidentOrder(deps, order);
  assert.equal(faults.disarm(), true);
  assert.match(response.message, /It rings nobody and opens no incident/);
  // The 300 devices cost one further request per 100 devices.
  assert.deepEqual(charges, [3]);
});
