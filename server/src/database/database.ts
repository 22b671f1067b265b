import { rm, writeFile } from "node:fs/promises";
import { Kysely, type CompiledQuery, type QueryResult, type Transaction } from "kysely";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";
import { InDoubtError } from "./in-doubt-error.ts";
import { ensurePrivateFile } from "./private-file.ts";
import { toQueryResult, createSqliteDialect, toStatement } from "./sqlite.ts";
import { SQLITE } from "./sqlite-engine.ts";
import { OVERWRITE_SQL } from "./sqlite-commit.ts";
import type { CallProcedure } from "./sqlite-procedure.ts";
import { SqliteError, SqliteThread } from "./sqlite-thread.ts";
import { Writability } from "./writability.ts";

/** Anything that compiles into one statement: every query builder of Kysely. */
export interface Compilable {
  compile(): CompiledQuery;
}

/** An open database. Stores are written against this interface and do not know the engine. */
export interface Database {
  /** Kysely's query builder. A query that is executed directly on the builder is a transaction of its own. */
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
  /**
   * Returns a function that runs the procedure of a module in the database's thread. The module exports
   * `createProcedure`. The function throws an `InDoubtError` if the outcome is unknown. `defineProcedure` is null on
   * PostgreSQL, whose procedures would need their own language.
   */
  readonly defineProcedure: ((module: URL) => CallProcedure) | null;
  /** Resolves with whether the next commit will probably be stored. Writes at most once a second to find out. */
  isWritable(): Promise<boolean>;
  /** Closes all connections. May be called repeatedly. */
  close(): Promise<void>;
}

/**
 * Opens the SQLite file at `path`, and creates the file if it is missing. All statements run in one thread of their
 * own, and wait up to `busyTimeoutMs` for the lock of another process, by default a second.
 */
export function openSqlite(path: string, busyTimeoutMs?: number): Database {
  ensurePrivateFile(path);
  const thread = new SqliteThread(path, busyTimeoutMs);
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(thread) });
  const runTogether = async (queries: readonly Compilable[]) => {
    const results = await thread.executeAtomically(
      queries.map((query) => toStatement(query.compile())),
    );
    return results.map((result) => toQueryResult(result));
  };
  const writability = new Writability({
    probe: () => probe(thread, path),
    isUnavailable: (error) => SQLITE.isUnavailable(error) || isDiskError(error),
    elapsed: () => performance.now(),
  });
  const commit = async <T>(committing: Promise<T>): Promise<T> => {
    try {
      return await writability.track(committing);
    } catch (error) {
      if (!(error instanceof SqliteError && error.isInDoubt)) throw error;
      throw new InDoubtError(error, async (reads) => {
        await thread.executeAtomically([{ sql: OVERWRITE_SQL, parameters: [] }]);
        return runTogether(reads);
      });
    }
  };
  return {
    db,
    engine: SQLITE,
    atomically: (queries) => commit(runTogether(queries)),
    defineProcedure(module) {
      const call = thread.defineProcedure(module);
      return (inputs, getStatements) => commit(call(inputs, getStatements));
    },
    // The thread batches the requests of an iteration by itself. Kysely's executor and driver would only add overhead.
    read: async (query) => toQueryResult(await thread.execute(toStatement(query.compile()))),
    transaction: (run) => writability.track(db.transaction().execute(run)),
    isWritable: () => writability.isWritable(),
    async close() {
      await db.destroy();
      // Kysely closes only a driver that was used.
      await thread.close();
    },
  };
}

/**
 * The content of the probe file: as many bytes as a few commits add to the log. A smaller one would prove nothing,
 * because free space in the log accepts commits even on a full disk.
 */
const PROBE_CONTENT = Buffer.alloc(64 * 1_024, "probe");

/** Writes and removes a file of the size of a few commits, then commits once. */
async function probe(thread: SqliteThread, path: string): Promise<void> {
  const probePath = `${path}-probe`;
  try {
    await writeFile(probePath, PROBE_CONTENT, { mode: 0o600 });
  } finally {
    await rm(probePath, { force: true });
  }
  await thread.executeAtomically([{ sql: OVERWRITE_SQL, parameters: [] }]);
}

/** Error codes of open(2) and write(2) if nothing can be written there now. */
const DISK_ERROR_CODES: ReadonlySet<string> = new Set([
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
  return error instanceof Error && "code" in error && DISK_ERROR_CODES.has(String(error.code));
}
