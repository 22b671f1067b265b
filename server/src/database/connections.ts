import type { PostgresPool } from "kysely";
import type { Pool, PoolClient } from "pg";

/**
 * The connections of a pool, without those that a stalled network may have left behind: once one connection times out,
 * idle ones may be as dead, and each would cost a caller its answer.
 */
export class Connections implements PostgresPool {
  readonly #pool: Pool;
  /** Moments of `performance.now()`. */
  readonly #madeAt = new WeakMap<PoolClient, number>();
  #silentAt = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool) {
    this.#pool = pool;
    pool.on("connect", (client) => this.#madeAt.set(client, performance.now()));
  }

  get options(): object {
    return this.#pool.options;
  }

  /** Resolves with a connection that was made after the last timeout. */
  async connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      const madeAt = this.#madeAt.get(client) ?? Number.POSITIVE_INFINITY;
      if (madeAt > this.#silentAt) return client;
      client.release(true);
    }
  }

  /** Discards all connections made before; called when a connection timed out. */
  doubt(): void {
    this.#silentAt = performance.now();
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}
