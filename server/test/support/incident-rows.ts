import type { App } from "../../src/app.ts";

/** Rows per statement: SQLite limits the number of bound values. */
const CHUNK_ROWS = 20;

/** Adds rounds to the history of an incident, without ringing anybody. */
export async function addRounds(
  { context: { database, newId, now } }: App,
  incidentId: string,
  count: number,
): Promise<void> {
  for (let round = 1; round <= count; round += 1) {
    const row = { incident_id: incidentId, id: newId(), kind: "ring", at: now() };
    const nobody = { account_id: null, device_id: null, via: null, notification_id: null };
    const detail = JSON.stringify({ round });
    await database.db
      .insertInto("incident_event")
      .values({ ...row, ...nobody, detail })
      .execute();
  }
}

/** Inserts `count` copies of an incident, each with its own incident key, without notifying anybody. */
export async function copyIncident(
  { context: { database, newId } }: Pick<App, "context">,
  incidentId: string,
  count: number,
): Promise<void> {
  const { db } = database;
  const row = await db
    .selectFrom("incident")
    .selectAll()
    .where("id", "=", incidentId)
    .executeTakeFirstOrThrow();
  for (let start = 0; start < count; start += CHUNK_ROWS) {
    const rows = Array.from({ length: Math.min(CHUNK_ROWS, count - start) }, () => {
      const id = newId();
      return { ...row, id, key_hash: id };
    });
    await db.insertInto("incident").values(rows).execute();
  }
}
