import type { Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { endFormerAdministratorLinks, endAllAccess, lockMailedLinks } from "../store/links.ts";
import type { JoinedStatement } from "../store/accounts.ts";

/** Anonymises an account and deletes all its credentials. The row stays, because rows of its teams refer to it. */
export async function anonymiseAccount(
  context: Context,
  input: {
    readonly accountId: string;
    readonly actor: Actor;
    readonly joinedStatements: readonly JoinedStatement[];
  },
): Promise<void> {
  const { database, now } = context;
  const { accountId, actor, joinedStatements } = input;
  // RFC 2606 section 2: an address in this domain never belongs to a person.
  const placeholderEmail = `${accountId}@deleted.invalid`;
  await runAndRecord(
    context,
    async (db) => {
      await lockMailedLinks(db, { engine: database.engine, accountId });
      const anonymisedRow = await db
        .updateTable("account")
        .set({
          email: placeholderEmail,
          name: "Deleted account",
          email_verified: 0,
          image: null,
          is_admin: 0,
          // Blocks sign-in, and any key created while the account is being deleted.
          suspended_at: now(),
          updated_at: new Date(now()).toISOString(),
        })
        .where("id", "=", accountId)
        .where("email", "<>", placeholderEmail)
        .returning("id")
        .executeTakeFirst();
      for (const statement of [
        ...joinedStatements,
        db.deleteFrom("credential").where("account_id", "=", accountId),
        db.deleteFrom("access_token").where("account_id", "=", accountId),
        db.deleteFrom("two_factor").where("account_id", "=", accountId),
        db.deleteFrom("backup_code").where("account_id", "=", accountId),
        db.deleteFrom("passkey").where("account_id", "=", accountId),
      ]) {
        await db.executeQuery(statement.compile());
      }
      await endAllAccess(db, accountId);
      await endFormerAdministratorLinks(db, accountId);
      return anonymisedRow;
    },
    () => ({ action: "account_deleted", actor, accountId }),
  );
}
