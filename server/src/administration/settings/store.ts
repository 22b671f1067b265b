import type { AuditEvent } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";

/** Returns the stored settings, by name. */
export async function readSettings({
  database: { db },
}: Context): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("setting").select(["name", "value"]).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Stores settings, all or none. Replaces earlier values. */
export async function writeSettings(
  context: Context,
  {
    settings,
    event,
  }: { readonly settings: Readonly<Record<string, string>>; readonly event: AuditEvent },
): Promise<void> {
  const { database, now } = context;
  const changed_at = now();
  await database.atomically([
    ...Object.entries(settings).map(([name, value]) =>
      database.db
        .insertInto("setting")
        .values({ name, value, changed_at })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ value, changed_at })),
    ),
    insertEventQuery(context, event),
  ]);
}
