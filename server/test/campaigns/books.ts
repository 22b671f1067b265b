import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { DatabasePlace } from "#database/open.ts";

/** What stands in a database, read from outside. */
export interface Books {
  rows<Row>(sql: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Opens a database beside the servers that use it, to read it alone. */
export async function openBooks(place: DatabasePlace): Promise<Books> {
  if (place.kind === "sqlite") {
    const file = new DatabaseSync(place.path, { readOnly: true, timeout: 10_000 });
    return {
      // The caller names the columns.
      rows: async <Row>(sql: string): Promise<readonly Row[]> => file.prepare(sql).all() as Row[],
      close: async () => file.close(),
    };
  }
  const client = new Client({ connectionString: place.url });
  // A database that is ended on purpose ends this connection as well; the next question tells so.
  client.on("error", () => {});
  await client.connect();
  return {
    rows: async <Row>(sql: string) => (await client.query(sql)).rows as readonly Row[],
    close: () => client.end(),
  };
}
