import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { Mail } from "#mail/mail.ts";
import type { Auth } from "../auth.ts";
import { findPasswordHash } from "../store/accounts.ts";
import { hashPassword } from "./hash.ts";
import { changePassword } from "./store/passwords.ts";

/**
 * Replaces the account's password, ends all its sessions and returns the stored form of the new password. Throws
 * `invalid_field` if the current password is wrong or missing.
 */
export async function changeOwnPassword(
  { context, auth }: { readonly context: Context; readonly auth: Pick<Auth, "isCorrectPassword"> },
  input: {
    readonly accountId: string;
    readonly currentPassword: string;
    readonly newPassword: string;
    readonly actor: Actor;
    /** The email that notifies the owner, queued in the same commit. */
    readonly notice: Mail;
  },
): Promise<string> {
  const { accountId, currentPassword, newPassword, actor, notice } = input;
  const previousHash = await findPasswordHash(context, accountId);
  if (previousHash === null) {
    const message = "This account has no password. Ask for a link to choose one.";
    throw invalidField("currentPassword", message);
  }
  if (!(await auth.isCorrectPassword(accountId, currentPassword))) throw createWrongPasswordError();
  const passwordHash = await hashPassword(newPassword);
  if (!(await changePassword(context, { accountId, passwordHash, previousHash, actor, notice }))) {
    throw createWrongPasswordError();
  }
  return passwordHash;
}

function createWrongPasswordError() {
  return invalidField("currentPassword", "currentPassword is wrong.");
}
