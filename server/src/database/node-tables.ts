/** A process on a shared PostgreSQL database; SQLite has no such table. */
export interface NodeTable {
  id: string;
  role: string;
  started_at: number;
  seen_at: number;
  /** The name of the last migration (a step) that the node's version knows; null in versions older than this column. */
  known_step: string | null;
}

/** A secret that all processes on a database share. On SQLite, files next to the database contain it. */
export interface SharedSecretTable {
  name: string;
  /** Sealed by the master key, or plain. */
  value: string;
}

/** The leaky bucket of a rate limit that all processes on a PostgreSQL database share. */
export interface RateBucketTable {
  key: string;
  /** Requests at the time `at`. The level drains with time. */
  level: number;
  at: number;
}

/** The counter of an attempt limit that all processes on a PostgreSQL database share. */
export interface TryLimitTable {
  /** SHA-256, hexadecimal, of the limited action and its subject. */
  key: string;
  /** Time at which the counter is idle again: the burst is then available in full. */
  rested_at: number;
}
