import assert from "node:assert/strict";
import test from "node:test";
import { addDevice } from "../../test/support/delivery-bench.ts";
import { createTriggerOrder, startIncidentNodes } from "../../test/support/incident-bench.ts";

// Law E9 of docs/promises.md.
test("E9: 1,000 triggers of one key from three nodes open one incident, which is pushed once", async (t) => {
  const nodes = await startIncidentNodes(t, 3);
  const [first] = nodes;
  await addDevice(first, "good/1");
  const order = createTriggerOrder(first);
  const triggers = Array.from({ length: 1_000 }, (_, index) =>
    (nodes[index % nodes.length] ?? first).incidents.trigger(order),
  );
  await Promise.all(triggers);
  await Promise.all(nodes.map((node) => node.waitUntilIdle()));
  const { db } = first.context.database;
  const rows = await db.selectFrom("incident").select(["occurrences", "version"]).execute();
  assert.deepEqual(
    rows.map(({ occurrences }) => occurrences),
    [1_000],
  );
  // A change takes all the triggers that wait for it.
  assert.ok((rows[0]?.version ?? 0) < 100);
  assert.equal(first.provider.attempts.length, 1);
});
