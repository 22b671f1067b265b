import { sql } from "kysely";
import type { Migration, Target } from "../migration.ts";

/**
 * PostgreSQL itself tells, with the commit, when a key or an account changes what a key may do: whoever changed it may
 * die right after, and the other processes remember keys. On SQLite there is nobody to be told.
 */
export const toldChanges: Migration = {
  name: "0016-told-changes",
  async up(to) {
    if (to.engine.name === "sqlite") return;
    await tell(to, { table: "api_key", columns: ["revoked_at", "expires_at"], topic: "key" });
    await tell(to, { table: "account", columns: ["suspended_at"], topic: "account" });
  },
};

interface Told {
  readonly table: string;
  readonly columns: readonly string[];
  readonly topic: string;
}

/** As `#nodes/message.ts` reads it, on the channel of `#nodes/shared-nodes.ts`. */
async function tell({ db }: Target, { table, columns, topic }: Told): Promise<void> {
  const name = sql.id(`${table}_changed`);
  const changed = columns.map(
    (column) => sql`old.${sql.id(column)} is distinct from new.${sql.id(column)}`,
  );
  await sql`
    create function ${name}() returns trigger language plpgsql as $tell$
    begin
      perform pg_notify('tocsin', json_build_object('from', null, 'news',
        json_build_array(json_build_object('topic', ${sql.lit(topic)}, 'body', new.id)))::text);
      return null;
    end $tell$`.execute(db);
  await sql`
    create trigger ${name} after update on ${sql.table(table)} for each row
    when (${sql.join(changed, sql` or `)}) execute function ${name}()`.execute(db);
}
