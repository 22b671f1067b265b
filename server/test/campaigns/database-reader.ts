import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { DatabaseLocation } from "#database/open.ts";

/** Reads a database independently of the servers that use it. */
export interface DatabaseReader {
  query<Row>(sql: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Opens a database read-only, while servers use it. */
export async function openDatabaseReader(location: DatabaseLocation): Promise<DatabaseReader> {
  if (location.kind === "sqlite") {
    const file = new DatabaseSync(location.path, { readOnly: true, timeout: 10_000 });
    return {
      // The caller knows the columns.
      query: async <Row>(sql: string): Promise<readonly Row[]> => file.prepare(sql).all() as Row[],
      close: async () => file.close(),
    };
  }
  const client = await connect(location);
  // A campaign may stop the database on purpose; the next query then rejects.
  client.on("error", () => {});
  return {
    query: async <Row>(sql: string) => (await client.query(sql)).rows as readonly Row[],
    close: () => client.end(),
  };
}

/** Inserts and deletes this many jobs, as minutes of load would: a scan for due jobs from the beginning must skip them. */
export async function insertEndedJobs(location: DatabaseLocation, count: number): Promise<void> {
  if (location.kind === "sqlite") throw new Error("SQLite keeps no deleted rows.");
  const client = await connect(location);
  // In one transaction, so that no server sees the jobs and resets its low-water mark.
  await client.query("begin");
  await client.query(
    `insert into send_job (id, notification_id, lane, kind, range_after, range_up_to, run_at, epoch,
       crashes, owner, expires_at)
     select 'ended ' || n, 'ended', n % 3, 'devices', '', '', 1, 1, 0, '', 1
     from generate_series(1, $1) as n`,
    [count],
  );
  await client.query("delete from send_job where notification_id = 'ended'");
  await client.query("commit");
  await client.end();
}

/** Opens a PostgreSQL transaction with a snapshot of the current rows. Returns a function that ends it. */
export async function openSnapshot(location: DatabaseLocation): Promise<() => Promise<void>> {
  if (location.kind === "sqlite") throw new Error("A snapshot blocks cleanup only on PostgreSQL.");
  const client = await connect(location);
  await client.query("begin isolation level repeatable read");
  await client.query("select from notification limit 1");
  return () => client.end();
}

type PostgresLocation = Extract<DatabaseLocation, { readonly kind: "postgres" }>;

async function connect({ url }: PostgresLocation): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}
