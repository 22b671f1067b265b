import type { DatabaseSync } from "node:sqlite";

/** Result of a piece of work. */
export type WorkResult<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Runs pieces of work in one durable transaction, each of them whole or not at all, and returns the result of each: the
 * disk takes as long for all as for one. An error that ends the transaction itself, such as a full disk, is the result
 * of all.
 */
export function commitTogether<T>(
  database: DatabaseSync,
  pieces: readonly (() => T)[],
): readonly WorkResult<T>[] {
  let hasBegun = false;
  try {
    database.exec("begin immediate");
    hasBegun = true;
    const outcomes = pieces.map((piece) => attempt(database, piece));
    commit(database);
    return outcomes;
  } catch (error) {
    // A transaction that was open before belongs to another caller.
    if (hasBegun && database.isTransaction) database.exec("rollback");
    return pieces.map(() => ({ error }));
  }
}

/** Commits the open transaction; a failed commit is rolled back, and may be in doubt all the same. */
export function commit(database: DatabaseSync): void {
  try {
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    if (isOfDisk(error) && !overwrite(database)) throw new CommitInDoubtError(error);
    throw error;
  }
}

/**
 * A commit whose pages are in the log and which failed after that, as by a sync: this process has forgotten it, but the
 * next one would find it there and take it for whole. A later commit overwrites its beginning, so that it cannot be
 * found any more.
 */
export class CommitInDoubtError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "CommitInDoubtError";
  }
}

/** A commit that changes only the file's first page: this number is never read. */
export const OVERWRITE = "pragma user_version = 1";

function overwrite(database: DatabaseSync): boolean {
  try {
    database.exec(OVERWRITE);
    return true;
  } catch {
    return false;
  }
}

/** IOERR of sqlite.org/rescode.html. A full disk did not take the commit's own mark, which is written last. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 10;
}

function attempt<T>(database: DatabaseSync, piece: () => T): WorkResult<T> {
  database.exec("savepoint piece");
  try {
    const value = piece();
    database.exec("release piece");
    return { value };
  } catch (error) {
    // A full disk may have rolled back all pieces.
    if (!database.isTransaction) throw error;
    database.exec("rollback to piece; release piece");
    return { error };
  }
}
