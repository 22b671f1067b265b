import assert from "node:assert/strict";
import test from "node:test";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import {
  createOrder,
  startIncidentBench,
  type IncidentBench,
} from "../../../test/support/incident-bench.ts";
import { findIncident } from "./incidents.ts";
import { removeOldIncidents } from "./removal.ts";

const DAY_MS = 86_400_000;

/** Returns a context that calls `act` before each of its commits. */
function interrupt(
  { database, ...context }: Context,
  act: (queries: readonly Compilable[]) => Promise<unknown>,
): Context {
  return {
    ...context,
    database: {
      ...database,
      async atomically(queries) {
        await act(queries);
        return database.atomically(queries);
      },
    },
  };
}

async function trigger(bench: IncidentBench): Promise<string> {
  const result = await bench.incidents.trigger(createOrder(bench, { expireAfterMs: 60_000 }));
  await bench.waitUntilIdle();
  return result.kind === "changed" ? result.change.incident.id : assert.fail();
}

async function readTimers({ context }: IncidentBench): Promise<readonly string[]> {
  const rows = await context.database.db.selectFrom("timer").select("kind").execute();
  return rows.map(({ kind }) => kind).toSorted();
}

test("an old incident that begins to ring while it is being deleted stays, with its timers", async (t) => {
  const bench = await startIncidentBench(t);
  const id = await trigger(bench);
  await bench.advance(60_000);
  assert.equal((await findIncident(bench.context, id))?.state, "expired");
  bench.context.clock.advance(DAY_MS);
  const context = interrupt(bench.context, () => trigger(bench));
  await removeOldIncidents(context, { before: bench.context.now() - 1, limit: 10 });
  assert.equal((await findIncident(bench.context, id))?.state, "triggered");
  assert.deepEqual(await readTimers(bench), ["expire"]);
});

test("an old incident is deleted before its timers, in one commit", async (t) => {
  const bench = await startIncidentBench(t);
  const options = { content: { priority: "normal" }, autoResolveAfterMs: 30 * DAY_MS } as const;
  await bench.incidents.trigger(createOrder(bench, options));
  bench.context.clock.advance(DAY_MS);
  const statements: string[] = [];
  const context = interrupt(bench.context, async (queries) => {
    for (const query of queries) statements.push(query.compile().sql);
  });
  assert.equal(await removeOldIncidents(context, { before: context.now(), limit: 10 }), 1);
  assert.deepEqual(await readTimers(bench), []);
  assert.match(statements[0] ?? "", /^delete from "incident" /);
  assert.match(statements[1] ?? "", /^delete from "timer" /);
});
