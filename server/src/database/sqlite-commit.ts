import type { DatabaseSync } from "node:sqlite";

/** The result of one work item. */
export type WorkResult<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Runs work items in one durable transaction and returns their results. Each item is stored completely or not at all.
 * The disk takes as long for all as for one. An error that ends the transaction itself, such as a full disk, is the
 * result of every item.
 */
export function commitTogether<T>(
  database: DatabaseSync,
  items: readonly (() => T)[],
): readonly WorkResult<T>[] {
  let hasBegun = false;
  try {
    database.exec("begin immediate");
    hasBegun = true;
    const outcomes = items.map((item) => attempt(database, item));
    commit(database);
    return outcomes;
  } catch (error) {
    // A transaction that was open before belongs to another caller.
    if (hasBegun && database.isTransaction) database.exec("rollback");
    return items.map(() => ({ error }));
  }
}

/** Commits the open transaction. A failed commit is rolled back, but may still be in doubt. */
export function commit(database: DatabaseSync): void {
  try {
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    if (isDiskError(error) && !overwrite(database)) throw new CommitInDoubtError(error);
    throw error;
  }
}

/**
 * A commit that failed after its pages were written to the log, for example in a sync. This process has dropped it,
 * but the next one would find it there and treat it as complete. A later commit overwrites its beginning, so that it
 * cannot be found any more.
 */
export class CommitInDoubtError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "CommitInDoubtError";
  }
}

/** A commit that changes only the first page of the file. This number is never read. */
export const OVERWRITE = "pragma user_version = 1";

function overwrite(database: DatabaseSync): boolean {
  try {
    database.exec(OVERWRITE);
    return true;
  } catch {
    return false;
  }
}

/** IOERR in sqlite.org/rescode.html. A full disk cannot store the mark of the commit, which is written last. */
function isDiskError(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 10;
}

function attempt<T>(database: DatabaseSync, item: () => T): WorkResult<T> {
  database.exec("savepoint piece");
  try {
    const value = item();
    database.exec("release piece");
    return { value };
  } catch (error) {
    // A full disk may have rolled back all items.
    if (!database.isTransaction) throw error;
    database.exec("rollback to piece; release piece");
    return { error };
  }
}
