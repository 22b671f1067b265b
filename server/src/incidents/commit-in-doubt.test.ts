import assert from "node:assert/strict";
import test from "node:test";
import { InDoubtError } from "#database/in-doubt-error.ts";
import { addDevice } from "../../test/support/delivery-bench.ts";
import {
  addIncidentNode,
  createTriggerOrder,
  startIncidentBench,
} from "../../test/support/incident-bench.ts";
import { findIncident } from "./store/incidents.ts";
import { listEntries } from "./store/events.ts";

test("a change whose commit was in doubt is not repeated, even if another node has changed the incident since", async (t) => {
  const bench = await startIncidentBench(t);
  const { context, incidents } = bench;
  await addDevice(bench, "good/1");
  const content = { priority: "normal" } as const;
  const opened = await incidents.trigger(createTriggerOrder(bench, { content }));
  const id = opened.kind === "changed" ? opened.change.incident.id : assert.fail();
  let commitCount = 0;
  const database = {
    ...context.database,
    async atomically(...input: Parameters<typeof context.database.atomically>) {
      const results = await context.database.atomically(...input);
      commitCount += 1;
      if (commitCount > 1) return results;
      const text = { ...content, title: "Disk full to the brim" };
      await incidents.trigger(createTriggerOrder(bench, { content: text }));
      throw new InDoubtError(new Error("connection lost"), (reads) =>
        context.database.atomically(reads),
      );
    },
  };
  const node = addIncidentNode(t, { ...bench, context: { ...context, database } });
  const other = { ...content, title: "Disk fuller" };
  await node.incidents.trigger(createTriggerOrder(bench, { content: other }));
  assert.equal((await findIncident(context, id))?.occurrences, 3);
  const kinds = (await listEntries(context, id)).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === "updated").length, 2);
});
