import type { PostgresPool } from "kysely";
import type { Pool, PoolClient } from "pg";

/**
 * A pool of connections that replaces possibly dead ones. After one connection times out on a stalled network, idle
 * ones may be dead too, and each would fail a query.
 */
export class Connections implements PostgresPool {
  readonly #pool: Pool;
  /** The opening time of each connection, as a value of `performance.now()`. */
  readonly #openedAt = new WeakMap<PoolClient, number>();
  #timedOutAt = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool) {
    this.#pool = pool;
    pool.on("connect", (client) => this.#openedAt.set(client, performance.now()));
  }

  /** The options of the pool, which Kysely reads. */
  get options(): object {
    return this.#pool.options;
  }

  /** Resolves with a connection that was opened after the last timeout. */
  async connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      const openedAt = this.#openedAt.get(client) ?? Number.POSITIVE_INFINITY;
      if (openedAt > this.#timedOutAt) return client;
      // True closes the connection instead of returning it to the pool.
      client.release(true);
    }
  }

  /** Makes `connect` discard all connections opened before this call. Called when a connection has timed out. */
  discardExisting(): void {
    this.#timedOutAt = performance.now();
  }

  /** Closes all connections. */
  end(): Promise<void> {
    return this.#pool.end();
  }
}
