import type { Context } from "#context.ts";
import type { TestPerson } from "../support/app.ts";

/** Inserts paused devices of the account: they belong to every audience, but get no push. */
export async function insertPausedDevices(
  { app }: { readonly app: { readonly context: Pick<Context, "database" | "newId" | "now"> } },
  { accountId }: Pick<TestPerson, "accountId">,
  count: number,
): Promise<void> {
  const { database, newId, now } = app.context;
  const createRow = () => ({
    id: newId(),
    account_id: accountId,
    name: "Phone",
    platform: "web" as const,
    provider: "webpush" as const,
    address: "{}",
    address_hash: newId(),
    created_at: now(),
    registered_at: now(),
    paused_at: now(),
    suspect_at: null,
    retired_at: null,
    retired_reason: null,
    last_state: null,
    last_state_at: null,
    action_key_hash: null,
    action_key_at: null,
  });
  for (let start = 0; start < count; start += CHUNK_ROWS) {
    const rows = Array.from({ length: Math.min(CHUNK_ROWS, count - start) }, createRow);
    await database.db.insertInto("device").values(rows).execute();
  }
}

/** Rows per statement: SQLite limits the number of bound values. */
const CHUNK_ROWS = 500;
