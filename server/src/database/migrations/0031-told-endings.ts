import { sql } from "kysely";
import type { Migration, MigrationTarget } from "../migration.ts";

/**
 * Adds triggers that publish the account of a session or access token that has ended, with the commit that ends it.
 * Other processes have live streams open, and the process that commits may crash right after. On SQLite, there are no
 * other processes. The name is older than the word publish.
 */
export const toldEndings: Migration = {
  name: "0031-told-endings",
  async up(target) {
    if (target.engine.name === "sqlite") return;
    // The format is that of `#nodes/message.ts`, the channel that of `#nodes/shared-nodes.ts`.
    await sql`
      create function sign_in_ended() returns trigger language plpgsql as $tell$
      begin
        perform pg_notify('tocsin', json_build_object('from', null, 'news', json_build_array(
          json_build_object('topic', 'signed_out', 'body', old.account_id)))::text);
        return null;
      end $tell$`.execute(target.db);
    await createPublishTrigger(target, sql`session_ended after delete on session for each row`);
    await createPublishTrigger(
      target,
      sql`access_token_deleted after delete on access_token for each row`,
    );
    await createPublishTrigger(
      target,
      sql`access_token_revoked after update on access_token for each row
        when (old.revoked_at is distinct from new.revoked_at)`,
    );
  },
};

async function createPublishTrigger(
  { db }: MigrationTarget,
  trigger: ReturnType<typeof sql>,
): Promise<void> {
  await sql`create trigger ${trigger} execute function sign_in_ended()`.execute(db);
}
