import { sql } from "kysely";
import type { Migration, MigrationTarget } from "../migration.ts";

/**
 * Adds triggers that publish a change of a key or an account, with its commit, if the change affects the rights of a
 * key. Other processes cache keys, and the process that made the change may crash right after the commit. On SQLite,
 * there are no other processes. The name is older than the word publish.
 */
export const toldChanges: Migration = {
  name: "0016-told-changes",
  async up(target) {
    if (target.engine.name === "sqlite") return;
    await createPublishTrigger(target, {
      table: "api_key",
      columns: ["revoked_at", "expires_at"],
      topic: "key",
    });
    await createPublishTrigger(target, {
      table: "account",
      columns: ["suspended_at"],
      topic: "account",
    });
  },
};

interface PublishedColumns {
  readonly table: string;
  readonly columns: readonly string[];
  readonly topic: string;
}

/** The format is defined in `#nodes/message.ts`, and the channel in `#nodes/shared-nodes.ts`. */
async function createPublishTrigger(
  { db }: MigrationTarget,
  { table, columns, topic }: PublishedColumns,
): Promise<void> {
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
