/** A process on a shared PostgreSQL database; SQLite has no such table. */
export interface NodeTable {
  id: string;
  role: string;
  started_at: number;
  seen_at: number;
  /** The last migration step that its version knows; null in versions older than this column. */
  known_step: string | null;
}

/** A secret that all processes on a database sign with; on SQLite, files beside the database hold it. */
export interface SharedSecretTable {
  name: string;
  /** Sealed by the master key, or plain. */
  value: string;
}

/** A key's use of its rate limit over all processes on a PostgreSQL database, in requests; it drains with time. */
export interface RateBucketTable {
  key: string;
  level: number;
  at: number;
}

/** A limit on repeated tries over all processes on PostgreSQL; at `rested_at` a key's tries are forgotten. */
export interface TryLimitTable {
  /** SHA-256, hexadecimal, of the limited action and its subject. */
  key: string;
  rested_at: number;
}
