import type { Context } from "#context.ts";

/** Somebody at one identity provider. */
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

/** Lets an identity sign in to an account from now on; one that signs in to another account keeps to that. */
export async function linkIdentity(
  { database: { db }, now, newId }: Context,
  { accountId, issuer, subject }: ForeignIdentity & { readonly accountId: string },
): Promise<void> {
  const moment = new Date(now()).toISOString();
  await db
    .insertInto("credential")
    .values({
      id: newId(),
      account_id: accountId,
      provider_id: providerIdOf(issuer),
      subject,
      created_at: moment,
      updated_at: moment,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "subject"]).doNothing())
    .execute();
}

/** Subjects mean something at their issuer alone. */
function providerIdOf(issuer: string): string {
  return `oidc ${issuer}`;
}
