import type { PostgresPool } from "kysely";
import type { Pool, PoolClient } from "pg";

/**
 * The connections of a pool, without those that a standstill of the network may have left behind: where one of them hears
 * nothing in time, those that rest may be as dead, and each would cost somebody an answer.
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

  /** Resolves with a connection that was made after the last silence. */
  async connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      const madeAt = this.#madeAt.get(client) ?? Number.POSITIVE_INFINITY;
      if (madeAt > this.#silentAt) return client;
      client.release(true);
    }
  }

  /** Gives up what was made before; called where a connection heard nothing in time. */
  doubt(): void {
    this.#silentAt = performance.now();
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}
