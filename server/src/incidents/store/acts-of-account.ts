import type { Context } from "#context.ts";
import { toEntry, type StoredEntry } from "./events.ts";

/** An act of an account on an incident. */
export interface ActOfAccount extends StoredEntry {
  readonly incidentId: string;
}

/** Returns at most `limit` acts of an account after the entry `after`, the oldest first. */
export async function listActsOfAccount(
  { database: { db } }: Context,
  {
    accountId,
    after,
    limit,
  }: { readonly accountId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly ActOfAccount[]> {
  const rows = await db
    .selectFrom("incident_event")
    .selectAll()
    .where("account_id", "=", accountId)
    // Only acts have a `via`; the server's own entries have none.
    .where("via", "is not", null)
    // The room of prompts lists answers to questions.
    .where("kind", "<>", "answered")
    .where("id", ">", after ?? "")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...toEntry(row), incidentId: row.incident_id }));
}

const ACTS_PER_BATCH = 500;

/**
 * Removes the notes of an account that is being deleted from the histories of incidents; the entries stay. Idempotent.
 */
export async function eraseNotes(context: Context, accountId: string): Promise<void> {
  const { database } = context;
  for (let after: string | null = null; ;) {
    const acts: readonly ActOfAccount[] = await listActsOfAccount(context, {
      accountId,
      after,
      limit: ACTS_PER_BATCH,
    });
    const withNote = acts.filter(({ detail }) => detail["note"] !== undefined);
    await database.atomically(
      withNote.map(({ incidentId, id, detail: { note: _note, ...detail } }) =>
        database.db
          .updateTable("incident_event")
          .set({ detail: JSON.stringify(detail) })
          .where("incident_id", "=", incidentId)
          .where("id", "=", id),
      ),
    );
    after = acts.at(-1)?.id ?? null;
    if (acts.length < ACTS_PER_BATCH) return;
  }
}
