import type { Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";

/** A person at one identity provider. */
export interface ForeignIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Returns the account that this identity signs in. */
export async function findByIdentity(
  { database: { db } }: Context,
  { issuer, subject }: ForeignIdentity,
): Promise<string | null> {
  const row = await db
    .selectFrom("credential")
    .select("account_id")
    .where("provider_id", "=", providerIdOf(issuer))
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

/** Links an identity to an account; one that is linked to another account stays there. */
export async function linkIdentity(
  context: Context,
  input: ForeignIdentity & { readonly accountId: string; readonly by: Actor },
): Promise<void> {
  const { accountId, issuer, subject, by } = input;
  const moment = new Date(context.now()).toISOString();
  await recorded(
    context,
    (db) =>
      db
        .insertInto("credential")
        .values({
          id: context.newId(),
          account_id: accountId,
          provider_id: providerIdOf(issuer),
          subject,
          created_at: moment,
          updated_at: moment,
        })
        .onConflict((conflict) => conflict.columns(["provider_id", "subject"]).doNothing())
        .returning("id")
        .executeTakeFirst(),
    ({ id }) => ({ action: "identity_linked", by, accountId, subjectId: id }),
  );
}

/** Subjects are unique only within their issuer. */
function providerIdOf(issuer: string): string {
  return `oidc ${issuer}`;
}
