import { Worker } from "node:worker_threads";
import type {
  SqliteFailure,
  Replies,
  Reply,
  Request,
  Statement,
  StatementResult,
} from "./sqlite-protocol.ts";

/** An error of SQLite with its extended result code. */
export class SqliteError extends Error {
  readonly errcode: number | null;
  /** True if a failed commit may still be found after the next start. */
  readonly isInDoubt: boolean;

  constructor(message: string, errcode: number | null, isInDoubt = false) {
    super(message);
    this.name = "SqliteError";
    this.errcode = errcode;
    this.isInDoubt = isInDoubt;
  }
}

type PendingStatements = {
  readonly resolve: (results: readonly StatementResult[]) => void;
  readonly reject: (error: Error) => void;
};

/** Size of the young generation. Results live only until they are posted, and a larger one would fill with garbage. */
const YOUNG_MB = 8;

/**
 * The connection to one SQLite file, in its own thread. Requests run in the order of the calls. While a transaction is
 * open, the statements of all other callers wait for its end.
 */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingStatements>();
  #lastId = 0;
  /**
   * Requests of this iteration of the event loop. They are posted together, because a message to the thread costs more
   * than most requests.
   */
  #unsent: Request[] = [];
  #transaction: PromiseWithResolvers<void> | null = null;
  #failure: Error | null = null;

  constructor(path: string) {
    this.#worker = new Worker(new URL("./sqlite-worker.ts", import.meta.url), {
      workerData: { path },
      name: "sqlite",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on("message", (replies: Replies) => {
      for (const reply of replies) this.#receive(reply);
    });
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new SqliteError("The database is closed.", null)));
    // Only pending requests keep the process alive, not the thread.
    this.#worker.unref();
  }

  /** Runs one statement by itself, after any open transaction. */
  async execute(statement: Statement): Promise<StatementResult> {
    while (this.#transaction !== null) await this.#transaction.promise;
    return this.#first(await this.#send({ kind: "one", statement }));
  }

  /** Runs all statements in one durable transaction, or none of them. */
  async atomic(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    while (this.#transaction !== null) await this.#transaction.promise;
    return this.#send({ kind: "atomic", statements });
  }

  /** Opens a transaction. Until `end`, only `executeInTransaction` runs statements. */
  async begin(): Promise<void> {
    // Check and assignment run without an await between them, so no other caller can interfere.
    while (this.#transaction !== null) await this.#transaction.promise;
    this.#transaction = Promise.withResolvers();
    try {
      await this.executeInTransaction({ sql: "begin immediate", parameters: [] });
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Runs one statement of the open transaction. */
  async executeInTransaction(statement: Statement): Promise<StatementResult> {
    return this.#first(await this.#send({ kind: "one", statement }));
  }

  /** Ends the open transaction; a commit that fails is rolled back. */
  async end(outcome: "commit" | "rollback"): Promise<void> {
    try {
      await this.executeInTransaction({ sql: outcome, parameters: [] });
    } catch (error) {
      if (outcome === "commit")
        await this.executeInTransaction({ sql: "rollback", parameters: [] }).catch(() => {});
      throw error;
    } finally {
      this.#release();
    }
  }

  /** Closes the file after all earlier requests, and ends the thread. */
  async close(): Promise<void> {
    if (this.#failure !== null) return;
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    await this.#send({ kind: "close" });
    // Nothing else may keep the process alive until then.
    this.#worker.ref();
    await exited;
  }

  #release(): void {
    this.#transaction?.resolve();
    this.#transaction = null;
  }

  #send(request: DistributiveOmit<Request, "id">): Promise<readonly StatementResult[]> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<readonly StatementResult[]>();
    this.#pending.set(id, { resolve, reject });
    if (this.#pending.size === 1) this.#worker.ref();
    if (this.#unsent.length === 0) setImmediate(() => this.#postUnsent());
    this.#unsent.push({ ...request, id });
    return promise;
  }

  #postUnsent(): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    this.#worker.postMessage(unsent);
  }

  #receive(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ("results" in reply) pending?.resolve(reply.results);
    else pending?.reject(toError(reply.error));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }

  #first(results: readonly StatementResult[]): StatementResult {
    return results[0] ?? { rows: [], changes: 0 };
  }
}

function toError({ message, errcode, isInDoubt }: SqliteFailure): SqliteError {
  return new SqliteError(message, errcode, isInDoubt);
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
