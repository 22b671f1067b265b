import { sql, type Kysely } from "kysely";
import type { Schema } from "../schema.ts";
import type { Migration, MigrationTarget } from "../migration.ts";

/**
 * Adds the first key of each rotation chain: all keys of a chain share their idempotency records. Also fills the column
 * for existing chains, and copies their records to the first key.
 */
export const firstKeys: Migration = {
  name: "0030-first-keys",
  async up({ db, engine }) {
    await db.schema.alterTable("api_key").addColumn("first_key_id", "text").execute();
    await setFirstKeyIds(db);
    await copyIdempotencyToFirstKeys(db);
    if (engine.name === "postgres") await createTriggerForEarlierVersions({ db, engine });
  },
};

/** Records, for each key that a rotation made, the first key of its chain. */
export async function setFirstKeyIds(db: Kysely<Schema>): Promise<void> {
  await sql`
    with recursive chain (id, first_id) as (
      select replaced_by, id from api_key
      where replaced_by is not null
        and id not in (select replaced_by from api_key where replaced_by is not null)
      union all
      select api_key.replaced_by, chain.first_id from api_key
      join chain on api_key.id = chain.id
      where api_key.replaced_by is not null)
    update api_key set first_key_id = (select first_id from chain where chain.id = api_key.id)
    where id in (select id from chain)`.execute(db);
}

/**
 * Copies the idempotency records of a chain's later keys to its first key. A node of an earlier version still reads
 * the records of the key itself.
 */
export async function copyIdempotencyToFirstKeys(db: Kysely<Schema>): Promise<void> {
  await sql`
    insert into idempotency (key_id, key_hash, content_hash, notification_id, created_at)
    select first_key_id, record.key_hash, content_hash, notification_id, record.created_at
    from idempotency record join api_key on api_key.id = record.key_id
    where first_key_id is not null
    order by first_key_id, record.key_hash, record.created_at
    on conflict (key_id, key_hash) do nothing`.execute(db);
}

/**
 * Sets the first key for rotations by nodes of an earlier version, which do not know the column and may run at the
 * same time. The index, which finds the key that a new one replaces, is small, because few keys were replaced.
 */
async function createTriggerForEarlierVersions({ db }: MigrationTarget): Promise<void> {
  await sql`
    create index api_key_by_successor on api_key (replaced_by)
    where replaced_by is not null`.execute(db);
  await sql`
    create function api_key_named_first() returns trigger language plpgsql as $first$
    begin
      new.first_key_id := (select coalesce(predecessor.first_key_id, predecessor.id) from api_key predecessor
        where predecessor.replaced_by = new.id);
      return new;
    end $first$`.execute(db);
  await sql`
    create trigger api_key_named_first before insert on api_key for each row
    when (new.first_key_id is null) execute function api_key_named_first()`.execute(db);
}
