import { rm, writeFile } from "node:fs/promises";
import { Kysely, type CompiledQuery, type QueryResult, type Transaction } from "kysely";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { keepPrivate } from "./private-file.ts";
import { resultOf, sqliteDialect, statementOf } from "./sqlite.ts";
import { SQLITE } from "./sqlite-engine.ts";
import { OVERWRITE } from "./sqlite-commit.ts";
import { SqliteError, SqliteThread } from "./sqlite-thread.ts";
import { Writability } from "./writability.ts";

/** Anything that can be compiled into one statement: every query builder of Kysely. */
export interface Compilable {
  compile(): CompiledQuery;
}

/** An open database; stores are written against this interface and know no engine. */
export interface Database {
  readonly db: Kysely<Schema>;
  readonly engine: Engine;
  /**
   * Runs all queries in one durable transaction and one round trip, or none of them; throws an `InDoubtError` if it is
   * unknown which.
   */
  atomically(queries: readonly Compilable[]): Promise<readonly QueryResult<unknown>[]>;
  /**
   * Runs one read-only query, together with all others of this turn of the event loop: for queries that every request
   * makes.
   */
  read(query: Compilable): Promise<QueryResult<unknown>>;
  /**
   * Runs queries of which later ones depend on results of earlier ones, in one durable transaction. May run more than
   * once after a conflict with another transaction, so `run` must contain only queries.
   */
  transaction<T>(run: (db: Transaction<Schema>) => Promise<T>): Promise<T>;
  /**
   * Resolves with whether the next commit would be stored, as far as can be known; writes at most once a second to find
   * out.
   */
  isWritable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens (and creates, if missing) the SQLite file at `path`; its statements run in a thread of its own. */
export function openSqlite(path: string): Database {
  keepPrivate(path);
  const thread = new SqliteThread(path);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(thread) });
  const together = async (queries: readonly Compilable[]) => {
    const results = await thread.atomic(queries.map((query) => statementOf(query.compile())));
    return results.map((result) => resultOf(result));
  };
  const writability = new Writability({
    probe: () => probe(thread, path),
    isUnavailable: (error) => SQLITE.isUnavailable(error) || isOfDisk(error),
    elapsed: () => performance.now(),
  });
  return {
    db,
    engine: SQLITE,
    async atomically(queries) {
      try {
        return await writability.watch(together(queries));
      } catch (error) {
        if (!(error instanceof SqliteError && error.isInDoubt)) throw error;
        throw new InDoubtError(error, async (looks) => {
          await thread.atomic([{ sql: OVERWRITE, parameters: [] }]);
          return together(looks);
        });
      }
    },
    // The thread batches the requests of a turn by itself. Kysely's executor and driver would only pass it on.
    read: async (query) => resultOf(await thread.one(statementOf(query.compile()))),
    transaction: (run) => writability.watch(db.transaction().execute(run)),
    isWritable: () => writability.isGiven(),
    async close() {
      await db.destroy();
      // Kysely closes only what it has used.
      await thread.close();
    },
  };
}

/** As much as commits may add to the log at once. Space that the log already has takes commits even on a full disk. */
const PROBE = Buffer.alloc(64 * 1_024, "probe");

/** Writes and removes a file the size of a few commits, then commits once. */
async function probe(thread: SqliteThread, path: string): Promise<void> {
  const beside = `${path}-probe`;
  try {
    await writeFile(beside, PROBE, { mode: 0o600 });
  } finally {
    await rm(beside, { force: true });
  }
  await thread.atomic([{ sql: OVERWRITE, parameters: [] }]);
}

/** Errors of open(2) and write(2) that mean that nothing can be written there now. */
const OF_DISK: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EIO",
  "EACCES",
  "EPERM",
  "EMFILE",
  "ENFILE",
]);

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && "code" in error && OF_DISK.has(String(error.code));
}
