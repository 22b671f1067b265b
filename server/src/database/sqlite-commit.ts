import type { DatabaseSync } from "node:sqlite";

/** The value that a work item returned, or the error that it threw. */
export type ItemResult<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Runs work items in one durable transaction and returns their results. Each item is stored completely or not at all.
 * The disk takes as long for all as for one. An error that ends the transaction itself, such as a full disk, is the
 * result of every item.
 */
export function commitTogether<T>(
  database: DatabaseSync,
  items: readonly (() => T)[],
): readonly ItemResult<T>[] {
  let hasBegun = false;
  try {
    database.exec("begin immediate");
    hasBegun = true;
    const results = items.map((item) => runItem(database, item));
    commit(database);
    return results;
  } catch (error) {
    // A transaction that was open before belongs to another caller.
    if (hasBegun && database.isTransaction) database.exec("rollback");
    return items.map(() => ({ error }));
  }
}

/** Commits the open transaction. Throws a `CommitInDoubtError` if a failed commit may still be stored. */
export function commit(database: DatabaseSync): void {
  try {
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    if (isDiskError(error) && !overwriteFailedCommit(database)) throw new CommitInDoubtError(error);
    throw error;
  }
}

/**
 * Thrown if a commit failed after its pages were written to the log, for example in a sync. This process has dropped
 * the commit, but the next process would find it in the log and treat it as complete. A later commit overwrites the
 * beginning of the failed one, and so makes sure that the failed one is not stored.
 */
export class CommitInDoubtError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "CommitInDoubtError";
  }
}

/** The statement of a commit that changes only the first page of the file. Nothing reads this number. */
export const OVERWRITE_SQL = "pragma user_version = 1";

/** Overwrites a failed commit in the log, and returns whether that succeeded. */
function overwriteFailedCommit(database: DatabaseSync): boolean {
  try {
    database.exec(OVERWRITE_SQL);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether the disk failed (IOERR in sqlite.org/rescode.html). A full disk is another error and leaves no doubt,
 * because the end of a commit is written last, and a full disk cannot store it.
 */
function isDiskError(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === IOERR;
}

/** The primary result code of a disk error, in the low byte of the extended code. */
const IOERR = 10;

/** Runs one item in a savepoint, so that its failure undoes only its own changes. */
function runItem<T>(database: DatabaseSync, item: () => T): ItemResult<T> {
  database.exec("savepoint work_item");
  try {
    const value = item();
    database.exec("release work_item");
    return { value };
  } catch (error) {
    // A full disk may have rolled back all items.
    if (!database.isTransaction) throw error;
    database.exec("rollback to work_item; release work_item");
    return { error };
  }
}
