import type { Database } from "#database/database.ts";

/** Returns the value that all processes on the database have under a name: the first that was ever offered. */
export async function shareSecret(
  { db }: Database,
  { name, offered }: { readonly name: string; readonly offered: string },
): Promise<string> {
  await db
    .insertInto("shared_secret")
    .values({ name, value: offered })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const { value } = await db
    .selectFrom("shared_secret")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return value;
}

/** Returns the value under a name; null where none was offered yet. */
export async function findSharedSecret({ db }: Database, name: string): Promise<string | null> {
  const row = await db
    .selectFrom("shared_secret")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.value ?? null;
}
