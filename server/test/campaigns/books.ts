import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { DatabasePlace } from "#database/open.ts";

/** The contents of a database, read from outside. */
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
  const client = await connect(place);
  // A database that is ended on purpose ends this connection as well; the next question tells so.
  client.on("error", () => {});
  return {
    rows: async <Row>(sql: string) => (await client.query(sql)).rows as readonly Row[],
    close: () => client.end(),
  };
}

/** Leaves behind so many jobs that ended, as minutes under load do: whoever looks for due work from the beginning passes by them. */
export async function leaveEndedJobs(place: DatabasePlace, count: number): Promise<void> {
  if (place.kind === "sqlite") throw new Error("SQLite keeps nothing that was deleted.");
  const client = await connect(place);
  // In one transaction: no server may see them, as it would look for work from the beginning again.
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

/** Keeps a transaction of PostgreSQL open that sees everything as it is now; returns what ends it. */
export async function holdSnapshot(place: DatabasePlace): Promise<() => Promise<void>> {
  if (place.kind === "sqlite")
    throw new Error("A reader of SQLite keeps nothing from being cleared away.");
  const client = await connect(place);
  await client.query("begin isolation level repeatable read");
  await client.query("select from notification limit 1");
  return () => client.end();
}

type PostgresPlace = Extract<DatabasePlace, { readonly kind: "postgres" }>;

async function connect({ url }: PostgresPlace): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}
