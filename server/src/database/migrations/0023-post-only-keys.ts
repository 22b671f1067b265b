import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/**
 * Adds the time since which a key sends only by POST. PostgreSQL publishes a change to the other processes like a
 * revocation, with the function of 0016-told-changes.
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
