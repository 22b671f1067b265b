import { Worker } from "node:worker_threads";
import type {
  SqliteFailure,
  Replies,
  Reply,
  Request,
  Statement,
  StatementResult,
} from "./sqlite-protocol.ts";

/** An error of SQLite, carrying its extended result code. */
export class SqliteError extends Error {
  readonly errcode: number | null;
  /** True if a failed commit may be found after the next start all the same. */
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

/** Size of the young generation: results live only until they are posted, and a larger one would fill with garbage. */
const YOUNG_MB = 8;

/**
 * The connection to one SQLite file, in a thread of its own. Requests run in the order in which they are made; while a
 * transaction is open, all other callers' statements wait for its end.
 */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingStatements>();
  #lastId = 0;
  /** Requests of this turn of the event loop: a message to the thread costs more than most requests. */
  #asked: Request[] = [];
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
    // Only requests under way keep the process alive, not the thread.
    this.#worker.unref();
  }

  /** Runs one statement by itself, after any open transaction. */
  async one(statement: Statement): Promise<StatementResult> {
    while (this.#transaction !== null) await this.#transaction.promise;
    return this.#only(await this.#ask({ kind: "one", statement }));
  }

  /** Runs all statements in one durable transaction, or none of them. */
  async atomic(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    while (this.#transaction !== null) await this.#transaction.promise;
    return this.#ask({ kind: "atomic", statements });
  }

  /** Opens a transaction in which only `within` runs statements, until `end`. */
  async begin(): Promise<void> {
    // Check and assignment happen in one turn: no other caller can come between.
    while (this.#transaction !== null) await this.#transaction.promise;
    this.#transaction = Promise.withResolvers();
    try {
      await this.within({ sql: "begin immediate", parameters: [] });
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Runs one statement of the open transaction. */
  async within(statement: Statement): Promise<StatementResult> {
    return this.#only(await this.#ask({ kind: "one", statement }));
  }

  /** Ends the open transaction; a commit that fails is rolled back. */
  async end(how: "commit" | "rollback"): Promise<void> {
    try {
      await this.within({ sql: how, parameters: [] });
    } catch (error) {
      if (how === "commit") await this.within({ sql: "rollback", parameters: [] }).catch(() => {});
      throw error;
    } finally {
      this.#release();
    }
  }

  /** Closes the file after all earlier requests, and ends the thread. */
  async close(): Promise<void> {
    if (this.#failure !== null) return;
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    await this.#ask({ kind: "close" });
    // Nothing else might keep the process alive until then.
    this.#worker.ref();
    await exited;
  }

  #release(): void {
    this.#transaction?.resolve();
    this.#transaction = null;
  }

  #ask(request: DistributiveOmit<Request, "id">): Promise<readonly StatementResult[]> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<readonly StatementResult[]>();
    this.#waiting.set(id, { resolve, reject });
    if (this.#waiting.size === 1) this.#worker.ref();
    if (this.#asked.length === 0) setImmediate(() => this.#handOver());
    this.#asked.push({ ...request, id });
    return promise;
  }

  #handOver(): void {
    const asked = this.#asked;
    this.#asked = [];
    this.#worker.postMessage(asked);
  }

  #receive(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ("results" in reply) waiting?.resolve(reply.results);
    else waiting?.reject(errorOf(reply.error));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }

  #only(results: readonly StatementResult[]): StatementResult {
    return results[0] ?? { rows: [], changes: 0 };
  }
}

function errorOf({ message, errcode, isInDoubt }: SqliteFailure): SqliteError {
  return new SqliteError(message, errcode, isInDoubt);
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
