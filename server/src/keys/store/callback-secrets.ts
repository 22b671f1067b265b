import { draftSecret } from "#callbacks/store/secrets.ts";
import type { Actor } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { OwnedKey } from "../api-key.ts";
import { toAuditFields } from "./keys.ts";
import { FIRST_KEY_ID, isOwnedBy } from "./rows.ts";

/**
 * Creates a callback secret for the rotation chain of a key, and returns it in plain text; null if the owners have no
 * such key. The previous secret stays valid for a day.
 */
export async function createCallbackSecret(
  context: Context,
  { owners, keyId, actor }: OwnedKey & { readonly actor: Actor },
): Promise<string | null> {
  const { database } = context;
  const { lockRows } = database.engine;
  return database.transaction(async (db) => {
    const ownedKey = db
      .selectFrom("api_key")
      .select(["id", "team_id as teamId", FIRST_KEY_ID.as("firstKeyId")])
      .where("id", "=", keyId)
      .where(isOwnedBy(owners))
      .where("revoked_at", "is", null);
    // A revocation at the same time waits, and then ends this secret too.
    const row = await (
      lockRows === null ? ownedKey : ownedKey.modifyEnd(lockRows)
    ).executeTakeFirst();
    if (row === undefined) return null;
    const { secret, statements } = draftSecret(context, row.firstKeyId);
    for (const statement of statements) await db.executeQuery(statement.compile());
    await recordEvent(db, context, {
      action: "api_key_callback_secret_made",
      actor,
      ...toAuditFields(row, owners),
    });
    return secret;
  });
}
