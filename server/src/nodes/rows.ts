import { sql } from "kysely";

/** PostgreSQL's clock, in milliseconds since the epoch; it advances within a transaction. */
export const DATABASE_NOW_MS = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
