import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { MailQueue } from "#mail/mail.ts";
import { consoleLink } from "../console-link.ts";
import { findChallenge, insertChallenge } from "../store/challenges.ts";
import { passwordChangedMail } from "../mails.ts";
import { hashPassword } from "../passwords/hash.ts";
import { spendHandedToken } from "../passwords/store/passwords.ts";
import { accountNotFound } from "./change.ts";
import { findListedAccount } from "./store.ts";

/** Handing a link over takes longer than opening a mail. */
const LIFE_MS = 24 * 3_600_000;

/** A link with which its holder sets a new password. */
export interface ResetLink {
  readonly link: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Creates a reset link for an administrator to hand over: valid once, for a day. Unlike a mailed one it does not prove
 * who owns the address. Throws `not_found`.
 */
export async function createResetLink(
  { context, baseUrl }: { readonly context: Context; readonly baseUrl: string },
  { accountId, by }: { readonly accountId: string; readonly by: Actor },
): Promise<ResetLink> {
  if ((await findListedAccount(context, accountId)) === null) throw accountNotFound();
  // It ends when its maker loses the right to create it, so it names them.
  const content = by.accountId ?? "";
  const question = { kind: "password_reset", accountId, content, lifeMs: LIFE_MS } as const;
  const event = { action: "reset_link_made", by, accountId } as const;
  const token = await insertChallenge(context, { ...question, event });
  context.log.info(
    { by: by.accountId, accountId },
    "an administrator made a link to a new password",
  );
  return {
    link: consoleLink(baseUrl, "reset-password", token),
    expiresAt: context.now() + LIFE_MS,
  };
}

export interface HandedLinkDeps {
  readonly context: Context;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  /** Called after sessions or access tokens of an account may have ended: ends the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/** Sets a new password by the token of such a link, notifies by mail, and returns the account; null for any other token. */
export async function resetByHandedLink(
  deps: HandedLinkDeps,
  {
    token,
    newPassword,
    by,
  }: { readonly token: string; readonly newPassword: string; readonly by: Actor },
): Promise<string | null> {
  const { context, mail, baseUrl, onSignedOut } = deps;
  const { database, now } = context;
  const link = { kind: "password_reset", token, now: now() } as const;
  // Hashing a password takes a tenth of a second, too much to spend on requests with a wrong token.
  if ((await findChallenge(database.db, link)) === null) return null;
  const passwordHash = await hashPassword(newPassword);
  const noticeTo = (email: string) => passwordChangedMail(baseUrl, email);
  const reset = await spendHandedToken(context, { token, passwordHash, by, noticeTo });
  if (reset === null) return null;
  onSignedOut(reset.accountId);
  mail.wake();
  return reset.accountId;
}
