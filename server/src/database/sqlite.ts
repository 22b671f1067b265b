import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type LimitNode,
  type QueryResult,
} from "kysely";
import type { SQLInputValue } from "node:sqlite";
import type { Statement, StatementResult } from "./sqlite-protocol.ts";
import type { SqliteThread } from "./sqlite-thread.ts";

/** Returns the Kysely dialect that runs statements on a SQLite thread. */
export function createSqliteDialect(thread: SqliteThread): Dialect {
  return {
    createAdapter: () => new SharedSqliteAdapter(),
    createDriver: () => new ThreadDriver(thread),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PlannedOnceCompiler(),
  };
}

/** Returns the statement that SQLite runs for a compiled query. */
export function toStatement(query: CompiledQuery): Statement {
  // Kysely types parameters as unknown; stores bind only values that SQLite can hold.
  return { sql: query.sql, parameters: query.parameters as readonly SQLInputValue[] };
}

/** Converts a result of the thread into Kysely's form. */
export function toQueryResult<R>({ rows, changes }: StatementResult): QueryResult<R> {
  // The row type is the query's, which Kysely derived from the schema.
  return { rows: rows as R[], numAffectedRows: BigInt(changes) };
}

/** Lets Kysely run queries concurrently, because the thread itself keeps transactions apart. */
class SharedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /**
   * All steps of a migration are one transaction: a crash cannot leave some of them, and two processes migrate one
   * after the other.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * SQLite reads the value of a bare `limit ?` while planning, and plans again whenever one is bound, which takes twenty
 * times as long as finding a device. It does not evaluate an expression such as `+?` while planning.
 */
class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append("limit +");
    this.visitNode(node.limit);
  }
}

class ThreadDriver implements Driver {
  readonly #thread: SqliteThread;

  constructor(thread: SqliteThread) {
    this.#thread = thread;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#thread);
  }

  async beginTransaction(connection: ThreadConnection): Promise<void> {
    await connection.beginTransaction();
  }

  async commitTransaction(connection: ThreadConnection): Promise<void> {
    await connection.endTransaction("commit");
  }

  async rollbackTransaction(connection: ThreadConnection): Promise<void> {
    await connection.endTransaction("rollback");
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.#thread.close();
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: SqliteThread;
  #inTransaction = false;

  constructor(thread: SqliteThread) {
    this.#thread = thread;
  }

  async beginTransaction(): Promise<void> {
    await this.#thread.beginTransaction();
    this.#inTransaction = true;
  }

  async endTransaction(outcome: "commit" | "rollback"): Promise<void> {
    // A failed commit was already rolled back.
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    await this.#thread.endTransaction(outcome);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = toStatement(query);
    const result = this.#inTransaction
      ? await this.#thread.executeInTransaction(statement)
      : await this.#thread.execute(statement);
    return toQueryResult<R>(result);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("SQLite results cannot be streamed; page through large ones by key.");
  }
}
