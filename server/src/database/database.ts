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

/** Anything that compiles into one statement: every query builder of Kysely. */
export interface Compilable {
  compile(): CompiledQuery;
}

/** An open database. Stores are written against this interface and do not know the engine. */
export interface Database {
  readonly db: Kysely<Schema>;
  readonly engine: Engine;
  /**
   * Runs all queries in one durable transaction and one round trip, or none of them; throws an `InDoubtError` if the
   * outcome is unknown.
   */
  atomically(queries: readonly Compilable[]): Promise<readonly QueryResult<unknown>[]>;
  /**
   * Runs one read-only query, together with all others of this iteration of the event loop. Meant for queries that
   * every request makes.
   */
  read(query: Compilable): Promise<QueryResult<unknown>>;
  /**
   * Runs queries that depend on each other's results in one durable transaction. May run more than once after a
   * conflict with another transaction, so `run` must contain only queries.
   */
  transaction<T>(run: (db: Transaction<Schema>) => Promise<T>): Promise<T>;
  /** Resolves with whether the next commit will probably be stored. Writes at most once a second to find out. */
  isWritable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the SQLite file at `path`, and creates it if it is missing. Its statements run in their own thread. */
export function openSqlite(path: string): Database {
  keepPrivate(path);
  const thread = new SqliteThread(path);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(thread) });
  const runTogether = async (queries: readonly Compilable[]) => {
    const results = await thread.atomic(queries.map((query) => statementOf(query.compile())));
    return results.map((result) => resultOf(result));
  };
  const writability = new Writability({
    probe: () => probe(thread, path),
    isUnavailable: (error) => SQLITE.isUnavailable(error) || isDiskError(error),
    elapsed: () => performance.now(),
  });
  return {
    db,
    engine: SQLITE,
    async atomically(queries) {
      try {
        return await writability.watch(runTogether(queries));
      } catch (error) {
        if (!(error instanceof SqliteError && error.isInDoubt)) throw error;
        throw new InDoubtError(error, async (reads) => {
          await thread.atomic([{ sql: OVERWRITE, parameters: [] }]);
          return runTogether(reads);
        });
      }
    },
    // The thread batches the requests of an iteration by itself. Kysely's executor and driver would only add overhead.
    read: async (query) => resultOf(await thread.execute(statementOf(query.compile()))),
    transaction: (run) => writability.watch(db.transaction().execute(run)),
    isWritable: () => writability.isWritable(),
    async close() {
      await db.destroy();
      // Kysely closes only a driver that was used.
      await thread.close();
    },
  };
}

/**
 * As much as commits may add to the log together. Space that the log already has accepts commits even on a full disk.
 */
const PROBE = Buffer.alloc(64 * 1_024, "probe");

/** Writes and removes a file of the size of a few commits, then commits once. */
async function probe(thread: SqliteThread, path: string): Promise<void> {
  const probePath = `${path}-probe`;
  try {
    await writeFile(probePath, PROBE, { mode: 0o600 });
  } finally {
    await rm(probePath, { force: true });
  }
  await thread.atomic([{ sql: OVERWRITE, parameters: [] }]);
}

/** Errors of open(2) and write(2) that mean that nothing can be written there now. */
const DISK_ERRORS: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EIO",
  "EACCES",
  "EPERM",
  "EMFILE",
  "ENFILE",
]);

function isDiskError(error: unknown): boolean {
  return error instanceof Error && "code" in error && DISK_ERRORS.has(String(error.code));
}
