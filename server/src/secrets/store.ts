import type { Database } from "#database/database.ts";

/** Stores a value under a name if there is none, and returns the stored one: the first call wins. */
export async function findOrCreateSharedSecret(
  { db }: Database,
  { name, value }: { readonly name: string; readonly value: string },
): Promise<string> {
  await db
    .insertInto("shared_secret")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const row = await db
    .selectFrom("shared_secret")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return row.value;
}

/** Replaces the value `before` with `after`; returns false if another value is stored. */
export async function replaceSharedSecret(
  { db }: Database,
  input: { readonly name: string; readonly before: string; readonly after: string },
): Promise<boolean> {
  const row = await db
    .updateTable("shared_secret")
    .set({ value: input.after })
    .where("name", "=", input.name)
    .where("value", "=", input.before)
    .returning("name")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the value under a name; null if there is none yet. */
export async function findSharedSecret({ db }: Database, name: string): Promise<string | null> {
  const row = await db
    .selectFrom("shared_secret")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.value ?? null;
}
