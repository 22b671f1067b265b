import { CompiledQuery, sql, type KyselyPlugin, type RootOperationNode } from "kysely";
import type { Context } from "#context.ts";

/** A context whose statements are remembered, so that they can be explained. */
export interface Recorded {
  readonly context: Context;
  /** Runs an act and returns its statements. */
  readonly askedBy: (act: () => Promise<unknown>) => Promise<readonly CompiledQuery[]>;
}

/** Remembers what is asked of a context's database. */
export function recordQueries(context: Context): Recorded {
  const nodes: RootOperationNode[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const { database } = context;
  const db = database.db.withPlugin(recorder);
  return {
    context: { ...context, database: { ...database, db } },
    async askedBy(act) {
      nodes.length = 0;
      await act();
      const executor = database.db.getExecutor();
      return nodes.map((node) => {
        const queryId = { queryId: "explained" };
        return executor.compileQuery(executor.transformQuery(node, queryId), queryId);
      });
    },
  };
}

/** A step of a plan that PostgreSQL has carried out, and of the steps below it. */
export interface PlanStep {
  readonly kind: string;
  readonly table: string | null;
  readonly index: string | null;
  /** How often it ran: 0 where nobody asked for it. */
  readonly loops: number;
  readonly rows: number;
  readonly removed: number;
  /** Pages of 8 KiB that it and those below touched. */
  readonly pages: number;
}

/** Carries statements out on PostgreSQL, leaves nothing of it, and returns their steps, those above first. */
export async function explainOnPostgres(
  { database: { db } }: Context,
  queries: readonly CompiledQuery[],
): Promise<readonly PlanStep[]> {
  const steps: PlanStep[] = [];
  for (const query of queries) {
    const explain = `explain (analyze, buffers, timing off, format json) ${query.sql}`;
    const transaction = await db.startTransaction().execute();
    try {
      // The tables of tests are small; so reads one whole only what finds no index.
      await sql`set local enable_seqscan = off`.execute(transaction);
      const { rows } = await transaction.executeQuery<Explained>(
        CompiledQuery.raw(explain, [...query.parameters]),
      );
      for (const { "QUERY PLAN": plans } of rows) {
        for (const { Plan } of plans) collect(Plan, steps);
      }
    } finally {
      await transaction.rollback().execute();
    }
  }
  return steps;
}

/** Ways to join and to sort: without some of them PostgreSQL takes others. */
const WAYS = ["hashagg", "hashjoin", "mergejoin", "sort", "material", "memoize"] as const;

/** Runs an act in whatever ways PostgreSQL may plan its statements, and leaves nothing of it; on SQLite in its own one. */
export async function inEveryWay(
  context: Context,
  act: (context: Context) => Promise<void>,
): Promise<void> {
  const { database } = context;
  const choices = database.engine.name === "postgres" ? 2 ** WAYS.length : 1;
  for (let choice = 0; choice < choices; choice += 1) {
    const transaction = await database.db.startTransaction().execute();
    try {
      for (const way of WAYS.filter((_, index) => choice & (1 << index))) {
        await sql`set local ${sql.raw(`enable_${way}`)} = off`.execute(transaction);
      }
      await act({ ...context, database: { ...database, db: transaction } });
    } finally {
      await transaction.rollback().execute();
    }
  }
}

/** Says to PostgreSQL how much is in its tables, as it finds out by itself later. */
export async function analyze({ database: { db, engine } }: Context): Promise<void> {
  if (engine.name !== "postgres") return;
  const { rows } = await sql<{ readonly name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`.execute(db);
  // One by one, as a statement may take two seconds, on a busy machine too.
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(db);
}

interface Explained {
  readonly "QUERY PLAN": readonly { readonly Plan: Plan }[];
}

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Loops": number;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

function collect(plan: Plan, steps: PlanStep[]): void {
  steps.push({
    kind: plan["Node Type"],
    table: plan["Relation Name"] ?? null,
    index: plan["Index Name"] ?? null,
    loops: plan["Actual Loops"],
    rows: plan["Actual Rows"],
    removed: plan["Rows Removed by Filter"] ?? 0,
    pages: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
  });
  for (const below of plan.Plans ?? []) collect(below, steps);
}
