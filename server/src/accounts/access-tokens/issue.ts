import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MailQueue } from "#mail/mail.ts";
import { hashToken } from "#token.ts";
import { parseName } from "../account.ts";
import { newAccessToken } from "./access-token.ts";
import { insertAccessToken } from "./store.ts";

/** The dependencies of creating access tokens. */
export interface IssueDeps {
  readonly context: Context;
  readonly mail: Pick<MailQueue, "wake">;
  readonly baseUrl: string;
  /** Whether a mail server is set up. */
  readonly sendsMail: boolean;
}

/** The most valid access tokens of an account. */
export const ACCESS_TOKENS_MAX = 100;

/**
 * Creates an access token, notifies its owner by mail and returns it, only now; throws `invalid_field` for the label,
 * and `conflict` at the limit.
 */
export async function issueAccessToken(
  { context, mail, baseUrl, sendsMail }: IssueDeps,
  input: { accountId: string; label: string; by: Actor },
): Promise<{ readonly id: string; readonly token: string }> {
  const label = parseName("label", input.label);
  const id = context.newId();
  const token = newAccessToken();
  const { accountId, by } = input;
  const noticeUrl = sendsMail ? baseUrl : null;
  const owned = { id, accountId, label, by, noticeUrl, most: ACCESS_TOKENS_MAX };
  if (await insertAccessToken(context, { ...owned, tokenHash: hashToken(token) })) {
    mail.wake();
    return { id, token };
  }
  const message = `An account has at most ${ACCESS_TOKENS_MAX} access tokens. Revoke one first.`;
  throw new AppError("conflict", message);
}
