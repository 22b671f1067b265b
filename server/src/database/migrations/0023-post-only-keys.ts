import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/**
 * The time since which a key sends by POST alone. PostgreSQL notifies the other processes of a change as of a
 * revocation, by the function of 0016-told-changes.
 */
export const postOnlyKeys: Migration = {
  name: "0023-post-only-keys",
  async up({ db, engine }) {
    await db.schema.alterTable("api_key").addColumn("post_only_at", "bigint").execute();
    if (engine.name === "sqlite") return;
    await sql`
      create trigger api_key_post_only_changed after update on api_key for each row
      when (old.post_only_at is distinct from new.post_only_at)
      execute function api_key_changed()`.execute(db);
  },
};
