/**
 * Settles finished jobs in the SQLite thread. One message contains a whole batch, because statements with a row per job
 * cost more to build and to send than to execute.
 */
import type { StatementSync } from "node:sqlite";
import type { SqlValues, TransferableValue } from "#database/sqlite-procedure.ts";

/** The SQL of the statements; the values of each are in the order of the input. */
export type SettleStatements = Readonly<
  Record<"endJob" | "insertPage" | "findAudience" | "insertCount", string>
>;

/** A batch of settlements of finished jobs. */
export type SettleInput = readonly [
  ends: readonly JobEnd[],
  /** The beginning of the ids of the stored counts. */
  countIdPrefix: string,
  /** The day to which the results count; see `toDay`. */
  day: number,
  /** Updates of devices, which do not depend on the leases: their SQL and values. */
  deviceUpdates: readonly (readonly [sql: string, ...values: SqlValues])[],
];

/** The end of one job. */
export type JobEnd = readonly [
  jobId: string,
  epoch: number,
  /** The result page, in the order of its columns; null without a result. */
  page: readonly [notificationId: string, ...others: SqlValues] | null,
  /** The page's results by key; see `ResultKey`. */
  counts: readonly ResultCount[],
];

type ResultCount = readonly [
  provider: string,
  state: string,
  code: string,
  pace: number,
  count: number,
];

/** For each job, 1 if its lease still held, and 0 if it was lost, so that nothing was recorded. */
export type SettleOutput = readonly (0 | 1)[];

/** Returns the procedure. The thread calls this. */
export function createProcedure(
  sql: SettleStatements,
  prepare: (sql: string) => StatementSync,
): (input: TransferableValue) => TransferableValue {
  const procedure = new SettleProcedure(sql, prepare);
  // Only `settle-in-thread.ts` calls the procedure.
  return (input) => procedure.settle(input as unknown as SettleInput);
}

class SettleProcedure {
  readonly #statements: Readonly<Record<keyof SettleStatements, StatementSync>>;
  readonly #prepare: (sql: string) => StatementSync;

  constructor(sql: SettleStatements, prepare: (sql: string) => StatementSync) {
    this.#prepare = prepare;
    this.#statements = {
      endJob: prepare(sql.endJob),
      insertPage: prepare(sql.insertPage),
      findAudience: prepare(sql.findAudience),
      insertCount: prepare(sql.insertCount),
    };
  }

  settle([ends, countIdPrefix, day, deviceUpdates]: SettleInput): SettleOutput {
    const sums = new Map<string, AudienceCount>();
    const output = ends.map(([jobId, epoch, page, counts]) => {
      if (this.#statements.endJob.run(jobId, epoch).changes !== 1) return 0;
      if (page !== null && this.#insertPage(page)) this.#addCounts(sums, page[0], counts);
      return 1;
    });
    this.#insertCounts(sums, countIdPrefix, day);
    for (const [sql, ...values] of deviceUpdates) this.#prepare(sql).run(...values);
    return output;
  }

  /** Returns false for a page that is already stored: its settlement was submitted again. */
  #insertPage(page: NonNullable<JobEnd[2]>): boolean {
    return this.#statements.insertPage.run(...page).changes === 1;
  }

  /** Adds a notification's results to the counts of its audience. */
  #addCounts(
    sums: Map<string, AudienceCount>,
    notificationId: string,
    counts: readonly ResultCount[],
  ): void {
    // `findAudience` selects this column.
    const row = this.#statements.findAudience.get(notificationId) as unknown as
      | readonly [audienceId: string]
      | undefined;
    if (row === undefined) return;
    for (const [provider, state, code, pace, count] of counts) {
      const key = [row[0], provider, state, code, pace] as const;
      const label = key.join(" ");
      sums.set(label, { key, count: count + (sums.get(label)?.count ?? 0) });
    }
  }

  #insertCounts(sums: ReadonlyMap<string, AudienceCount>, idPrefix: string, day: number): void {
    let position = 0;
    for (const { key, count } of sums.values()) {
      position += 1;
      this.#statements.insertCount.run(`${idPrefix}${position}`, day, ...key, count);
    }
  }
}

/** A count of equal results of a batch. */
interface AudienceCount {
  readonly key: readonly [
    audienceId: string,
    provider: string,
    state: string,
    code: string,
    pace: number,
  ];
  readonly count: number;
}
