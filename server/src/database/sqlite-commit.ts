import type { DatabaseSync } from "node:sqlite";

/** What came of a piece of work. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Does pieces of work in one durable transaction, each of them whole or not at all, and returns what came of each: the disk takes
 * as long for all of them as for one. What ends the transaction itself, such as a full disk, is the error of all.
 */
export function commitTogether<T>(
  database: DatabaseSync,
  pieces: readonly (() => T)[],
): readonly Outcome<T>[] {
  let hasBegun = false;
  try {
    database.exec("begin immediate");
    hasBegun = true;
    const outcomes = pieces.map((piece) => attempt(database, piece));
    database.exec("commit");
    return outcomes;
  } catch (error) {
    // One that was open before belongs to somebody else.
    if (hasBegun && database.isTransaction) database.exec("rollback");
    return pieces.map(() => ({ error }));
  }
}

function attempt<T>(database: DatabaseSync, piece: () => T): Outcome<T> {
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
