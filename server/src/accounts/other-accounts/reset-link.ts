import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { MailQueue } from "#mail/mail.ts";
import { createConsoleLink } from "../console-link.ts";
import { findChallenge, insertChallenge } from "../store/challenges.ts";
import { createPasswordChangedMail } from "../mails.ts";
import { hashPassword } from "../passwords/hash.ts";
import { spendSharedToken } from "../passwords/store/passwords.ts";
import { createNoSuchAccountError } from "./change-other-account.ts";
import { findListedAccount } from "./store.ts";

/** Lifetime of a shared link: longer than that of an emailed one, because sharing a link takes time. */
const SHARED_LINK_TTL_MS = 24 * 3_600_000;

/** A password reset link. */
export interface ResetLink {
  readonly link: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Creates a reset link that an administrator shares, valid once and for a day. Unlike an emailed link it does not
 * verify the address. Throws `not_found` if there is no such account.
 */
export async function createResetLink(
  { context, baseUrl }: { readonly context: Context; readonly baseUrl: string },
  { accountId, actor }: { readonly accountId: string; readonly actor: Actor },
): Promise<ResetLink> {
  if ((await findListedAccount(context, accountId)) === null) throw createNoSuchAccountError();
  // The link ends when its creator may no longer create links, so it stores the creator.
  const content = actor.accountId ?? "";
  const challenge = {
    kind: "password_reset",
    accountId,
    content,
    ttlMs: SHARED_LINK_TTL_MS,
  } as const;
  const event = { action: "reset_link_made", actor, accountId } as const;
  const token = await insertChallenge(context, { ...challenge, event });
  context.log.info(
    { by: actor.accountId, accountId },
    "an administrator created a password reset link",
  );
  return {
    link: createConsoleLink(baseUrl, "reset-password", token),
    expiresAt: context.now() + SHARED_LINK_TTL_MS,
  };
}

/** The dependencies of a password reset by a link that an administrator shared. */
export interface SharedLinkDeps {
  readonly context: Context;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/**
 * Sets a new password with the token of a link that an administrator shared, notifies the owner by email, and returns
 * the account id; null for any other token.
 */
export async function resetBySharedLink(
  deps: SharedLinkDeps,
  {
    token,
    newPassword,
    actor,
  }: { readonly token: string; readonly newPassword: string; readonly actor: Actor },
): Promise<string | null> {
  const { context, mail, baseUrl, onSignedOut } = deps;
  const { database, now } = context;
  const link = { kind: "password_reset", token, now: now() } as const;
  // Hashing a password is expensive, so the token is checked first.
  if ((await findChallenge(database.db, link)) === null) return null;
  const passwordHash = await hashPassword(newPassword);
  const createNotice = (email: string) => createPasswordChangedMail(baseUrl, email);
  const reset = await spendSharedToken(context, {
    token,
    passwordHash,
    actor,
    createNotice,
  });
  if (reset === null) return null;
  onSignedOut(reset.accountId);
  mail.wake();
  return reset.accountId;
}
