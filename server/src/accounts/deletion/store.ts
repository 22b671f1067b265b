import type { Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { endAdministratorsLinks, endSignIns, holdLinks } from "../store/links.ts";
import type { ForeignStatement } from "../store/accounts.ts";

/** Anonymises an account and deletes all its credentials. The row stays, because rows of its teams refer to it. */
export async function eraseAccount(
  context: Context,
  input: {
    readonly accountId: string;
    readonly actor: Actor;
    readonly alongside: readonly ForeignStatement[];
  },
): Promise<void> {
  const { database, now } = context;
  const { accountId, actor, alongside } = input;
  // RFC 2606 section 2: an address in this domain never belongs to a person.
  const nowhere = `${accountId}@deleted.invalid`;
  await recorded(
    context,
    async (db) => {
      await holdLinks(db, { engine: database.engine, accountId });
      const ended = await db
        .updateTable("account")
        .set({
          email: nowhere,
          name: "Deleted account",
          email_verified: 0,
          image: null,
          is_admin: 0,
          // Prevents sign-in, and use of a key that was created concurrently.
          suspended_at: now(),
          updated_at: new Date(now()).toISOString(),
        })
        .where("id", "=", accountId)
        .where("email", "<>", nowhere)
        .returning("id")
        .executeTakeFirst();
      for (const statement of [
        ...alongside,
        db.deleteFrom("credential").where("account_id", "=", accountId),
        db.deleteFrom("access_token").where("account_id", "=", accountId),
        db.deleteFrom("two_factor").where("account_id", "=", accountId),
        db.deleteFrom("backup_code").where("account_id", "=", accountId),
        db.deleteFrom("passkey").where("account_id", "=", accountId),
      ]) {
        await db.executeQuery(statement.compile());
      }
      await endSignIns(db, accountId);
      await endAdministratorsLinks(db, accountId);
      return ended;
    },
    () => ({ action: "account_deleted", actor, accountId }),
  );
}
