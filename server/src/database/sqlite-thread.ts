import { Worker } from "node:worker_threads";
import type { CallProcedure } from "./sqlite-procedure.ts";
import type {
  SqliteFailure,
  ThreadOptions,
  ThreadReplies,
  ThreadReply,
  ThreadResult,
  ThreadRequest,
  Statement,
  StatementResult,
} from "./sqlite-protocol.ts";

/** An error of SQLite with its extended result code. */
export class SqliteError extends Error {
  readonly errcode: number | null;
  /** True if the commit failed, but is still in the log, so that the next process could treat it as stored. */
  readonly isInDoubt: boolean;

  constructor(message: string, errcode: number | null, isInDoubt = false) {
    super(message);
    this.name = "SqliteError";
    this.errcode = errcode;
    this.isInDoubt = isInDoubt;
  }
}

type StatementRequest = DistributiveOmit<
  Extract<ThreadRequest, { kind: "statement" | "transaction" }>,
  "id"
>;

/** A request that the thread has not answered yet. */
type PendingRequest = {
  readonly resolve: (result: ThreadResult) => void;
  readonly reject: (error: Error) => void;
};

/** Longest wait for another process's lock. It is short, because callers of a send time out after four seconds. */
const BUSY_TIMEOUT_MS = 1_000;
/**
 * Size of V8's young generation. Results live only until they are posted; a larger generation would fill with garbage.
 */
const YOUNG_GENERATION_MB = 8;

/**
 * The connection to one SQLite file, in its own thread. Requests run in the order of the calls. While a transaction is
 * open, the statements of all other callers wait for its end.
 */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  #lastProcedureNumber = 0;
  #lastRequestId = 0;
  /**
   * Requests of this iteration of the event loop. They are posted together, because a message to the thread costs more
   * than most requests.
   */
  #unsent: ThreadRequest[] = [];
  #transaction: PromiseWithResolvers<void> | null = null;
  #failure: Error | null = null;

  constructor(path: string, busyTimeoutMs = BUSY_TIMEOUT_MS) {
    const options: ThreadOptions = { path, busyTimeoutMs };
    this.#worker = new Worker(new URL("./sqlite-worker.ts", import.meta.url), {
      workerData: options,
      name: "sqlite",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on("message", (replies: ThreadReplies) => {
      for (const reply of replies) this.#receive(reply);
    });
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new SqliteError("The database is closed.", null)));
    // Only pending requests keep the process alive, not the thread.
    this.#worker.unref();
  }

  /** Runs one statement in its own transaction, after the end of any open one. */
  async execute(statement: Statement): Promise<StatementResult> {
    while (this.#transaction !== null) await this.#transaction.promise;
    return this.#getFirst(await this.#run({ kind: "statement", statement }));
  }

  /** Runs all statements in one durable transaction, or none of them. */
  async executeAtomically(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    while (this.#transaction !== null) await this.#transaction.promise;
    return this.#run({ kind: "transaction", statements });
  }

  /** Returns a function that runs the procedure of a module, which exports `createProcedure`. */
  defineProcedure(module: URL): CallProcedure {
    const procedureNumber = ++this.#lastProcedureNumber;
    // Loads the module now, while files can be opened and no call waits for it. The first call repeats a failed load.
    this.#send({ kind: "load", module: module.href }).catch(() => {});
    let isCreated = false;
    return async (inputs, getStatements) => {
      while (this.#transaction !== null) await this.#transaction.promise;
      const call = { kind: "call", procedureNumber, inputs } as const;
      const reply = await this.#send(
        isCreated
          ? call
          : { ...call, definition: { module: module.href, statements: getStatements() } },
      );
      isCreated = true;
      return "outputs" in reply ? reply.outputs : [];
    };
  }

  /** Opens a transaction. Until `endTransaction`, only `executeInTransaction` runs statements. */
  async beginTransaction(): Promise<void> {
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
    return this.#getFirst(await this.#run({ kind: "statement", statement }));
  }

  /** Ends the open transaction; a commit that fails is rolled back. */
  async endTransaction(outcome: "commit" | "rollback"): Promise<void> {
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
    // Until the exit, nothing else may keep the process alive.
    this.#worker.ref();
    await exited;
  }

  /** Lets the waiting callers continue. */
  #release(): void {
    this.#transaction?.resolve();
    this.#transaction = null;
  }

  async #run(request: StatementRequest): Promise<readonly StatementResult[]> {
    const reply = await this.#send(request);
    return "results" in reply ? reply.results : [];
  }

  #send(request: DistributiveOmit<ThreadRequest, "id">): Promise<ThreadResult> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = ++this.#lastRequestId;
    const { promise, resolve, reject } = Promise.withResolvers<ThreadResult>();
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

  #receive(reply: ThreadReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ("error" in reply) pending?.reject(toError(reply.error));
    else pending?.resolve(reply);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }

  #getFirst(results: readonly StatementResult[]): StatementResult {
    return results[0] ?? { rows: [], changes: 0 };
  }
}

function toError({ message, errcode, isInDoubt }: SqliteFailure): SqliteError {
  return new SqliteError(message, errcode, isInDoubt);
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
