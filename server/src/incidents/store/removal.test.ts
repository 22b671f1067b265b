import assert from "node:assert/strict";
import test from "node:test";
import { CompiledQuery } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import {
  createTriggerOrder,
  startIncidentBench,
  type IncidentBench,
} from "../../../test/support/incident-bench.ts";
import { copyIncident } from "../../../test/support/incident-rows.ts";
import { explainOnPostgres, recordQueries } from "../../../test/support/query-plans.ts";
import { insertAccount } from "../../../test/support/context.ts";
import { findIncident } from "./incidents.ts";
import { removeIncidentsOfAccount, removeOldIncidents } from "./removal.ts";

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
  const result = await bench.incidents.trigger(
    createTriggerOrder(bench, { expireAfterMs: 60_000 }),
  );
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
  await bench.incidents.trigger(createTriggerOrder(bench, options));
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

/** Returns how a database finds the rows of a query. */
async function explain(context: Context, query: CompiledQuery): Promise<readonly string[]> {
  const { db, engine } = context.database;
  if (engine.name === "postgres")
    return (await explainOnPostgres(context, [query])).flatMap(({ index }) => index ?? []);
  const { sql, parameters } = query;
  const raw = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
  const { rows } = await db.executeQuery<{ readonly detail: string }>(raw);
  return rows.map(({ detail }) => detail);
}

test("the incidents of an account that ends are found by an index", async (t) => {
  const bench = await startIncidentBench(t);
  const id = await trigger(bench);
  await copyIncident(bench, id, 100);
  const accountId = await insertAccount(bench.context, { email: "ben@example.org" });
  const { context, captureQueries } = recordQueries(bench.context);
  const remove = () => removeIncidentsOfAccount(context, { accountId, limit: 10 });
  const [select = assert.fail()] = await captureQueries(remove);
  const plan = await explain(bench.context, select);
  assert.match(plan.join("\n"), /incident_by_account\b/);
  assert.notEqual(await findIncident(bench.context, id), null);
});
