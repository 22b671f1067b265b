import { CompiledQuery, sql, type KyselyPlugin, type RootOperationNode } from "kysely";
import type { Context } from "#context.ts";

/** A context that records its statements, so that they can be explained. */
export interface QueryRecorder {
  readonly context: Context;
  /** Runs a function and returns its statements. */
  readonly captureQueries: (act: () => Promise<unknown>) => Promise<readonly CompiledQuery[]>;
}

/** Returns a recorder of the statements of a context. */
export function recordQueries(context: Context): QueryRecorder {
  const nodes: RootOperationNode[] = [];
  const recordingPlugin: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const { database } = context;
  const db = database.db.withPlugin(recordingPlugin);
  return {
    context: { ...context, database: { ...database, db } },
    async captureQueries(act) {
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

/** A step of an executed PostgreSQL plan. */
export interface PlanStep {
  readonly kind: string;
  readonly table: string | null;
  readonly index: string | null;
  /** How often the step ran; 0 if it was not needed. */
  readonly loops: number;
  readonly rows: number;
  /** Rows that the step read and its filter removed. */
  readonly removed: number;
  /** Pages of 8 KiB that the step and its children touched. */
  readonly pages: number;
}

/** Executes statements on PostgreSQL, rolls them back, and returns the steps of their plans, parents first. */
export async function explainOnPostgres(
  { database: { db } }: Context,
  queries: readonly CompiledQuery[],
): Promise<readonly PlanStep[]> {
  const steps: PlanStep[] = [];
  for (const query of queries) {
    const explain = `explain (analyze, buffers, timing off, format json) ${query.sql}`;
    const transaction = await db.startTransaction().execute();
    try {
      // Test tables are small: without this setting PostgreSQL would scan them instead of using an index.
      await sql`set local enable_seqscan = off`.execute(transaction);
      const { rows } = await transaction.executeQuery<ExplainRow>(
        CompiledQuery.raw(explain, [...query.parameters]),
      );
      for (const { "QUERY PLAN": plans } of rows) {
        for (const { Plan } of plans) collectSteps(Plan, steps);
      }
    } finally {
      await transaction.rollback().execute();
    }
  }
  return steps;
}

/** Join and sort methods; PostgreSQL falls back to others if some are disabled. */
const PLANNER_METHODS = [
  "hashagg",
  "hashjoin",
  "mergejoin",
  "sort",
  "material",
  "memoize",
] as const;

/** Runs a function with every combination of planner methods on PostgreSQL, and once on SQLite. Rolls back each time. */
export async function withEveryPlan(
  context: Context,
  act: (context: Context) => Promise<void>,
): Promise<void> {
  const { database } = context;
  const combinationCount = database.engine.name === "postgres" ? 2 ** PLANNER_METHODS.length : 1;
  for (let combination = 0; combination < combinationCount; combination += 1) {
    const transaction = await database.db.startTransaction().execute();
    try {
      for (const method of PLANNER_METHODS.filter((_, index) => combination & (1 << index))) {
        await sql`set local ${sql.raw(`enable_${method}`)} = off`.execute(transaction);
      }
      await act({ ...context, database: { ...database, db: transaction } });
    } finally {
      await transaction.rollback().execute();
    }
  }
}

/** Updates PostgreSQL's statistics, as autovacuum would do later. */
export async function updateStatistics({ database: { db, engine } }: Context): Promise<void> {
  if (engine.name !== "postgres") return;
  const { rows } = await sql<{ readonly name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`.execute(db);
  // One table per statement, because a statement may take only two seconds.
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(db);
}

interface ExplainRow {
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

function collectSteps(plan: Plan, steps: PlanStep[]): void {
  steps.push({
    kind: plan["Node Type"],
    table: plan["Relation Name"] ?? null,
    index: plan["Index Name"] ?? null,
    loops: plan["Actual Loops"],
    rows: plan["Actual Rows"],
    removed: plan["Rows Removed by Filter"] ?? 0,
    pages: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
  });
  for (const child of plan.Plans ?? []) collectSteps(child, steps);
}
