/** A process that makes use of a database which many share; a SQLite file has no such table. */
export interface NodeTable {
  id: string;
  role: string;
  started_at: number;
  seen_at: number;
  /** The last step of the tables that its version knows; null in versions before there was this column. */
  known_step: string | null;
}

/** What all processes on a database sign with; beside a SQLite file stand files instead. */
export interface SharedSecretTable {
  name: string;
  /** Sealed by the master key, or as it is. */
  value: string;
}

/** What a key used of its limit at all processes on a PostgreSQL database, in requests; it drains with time. */
export interface RateBucketTable {
  key: string;
  level: number;
  at: number;
}

/** When a key's tries will be forgotten, where something may be tried only so often at all processes on PostgreSQL. */
export interface TryLimitTable {
  /** SHA-256, hexadecimal, of what is limited and for whom. */
  key: string;
  rested_at: number;
}
