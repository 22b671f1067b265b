import type { Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";

/** Identifies a person at one identity provider. */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

/** Returns the id of the account that this identity signs in; null if there is none. */
export async function findAccountIdByIdentity(
  { database: { db } }: Context,
  { issuer, subject }: IdentityKey,
): Promise<string | null> {
  const row = await db
    .selectFrom("credential")
    .select("account_id")
    .where("provider_id", "=", toProviderId(issuer))
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

/** Links an identity to an account, unless it is already linked. */
export async function linkIdentity(
  context: Context,
  input: IdentityKey & { readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  const { accountId, issuer, subject, actor } = input;
  const timestamp = new Date(context.now()).toISOString();
  await runAndRecord(
    context,
    (db) =>
      db
        .insertInto("credential")
        .values({
          id: context.newId(),
          account_id: accountId,
          provider_id: toProviderId(issuer),
          subject,
          created_at: timestamp,
          updated_at: timestamp,
        })
        .onConflict((conflict) => conflict.columns(["provider_id", "subject"]).doNothing())
        .returning("id")
        .executeTakeFirst(),
    ({ id }) => ({ action: "identity_linked", actor, accountId, subjectId: id }),
  );
}

/** Subjects are unique only within an issuer. */
function toProviderId(issuer: string): string {
  return `oidc ${issuer}`;
}
