import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MailQueue } from "#mail/mail.ts";
import { hashToken } from "#token.ts";
import { parseName } from "../account.ts";
import { generateAccessToken } from "./access-token.ts";
import { insertAccessToken } from "./store.ts";

/** The dependencies of `issueAccessToken`. */
export interface IssueAccessTokenDeps {
  readonly context: Context;
  readonly mail: Pick<MailQueue, "wake">;
  readonly baseUrl: string;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
}

/** Maximum number of valid access tokens per account. */
export const ACCESS_TOKENS_MAX = 100;

/**
 * Creates an access token, notifies its owner if email is configured, and returns the token, which cannot be read
 * again. Throws `invalid_field` if the label is invalid, and `conflict` if the account has the maximum of tokens.
 */
export async function issueAccessToken(
  { context, mail, baseUrl, sendsMail }: IssueAccessTokenDeps,
  input: { accountId: string; label: string; actor: Actor },
): Promise<{ readonly id: string; readonly token: string }> {
  const label = parseName("label", input.label);
  const id = context.newId();
  const token = generateAccessToken();
  const { accountId, actor } = input;
  const noticeUrl = sendsMail ? baseUrl : null;
  const row = { id, accountId, label, actor, noticeUrl, limit: ACCESS_TOKENS_MAX };
  if (await insertAccessToken(context, { ...row, tokenHash: hashToken(token) })) {
    mail.wake();
    return { id, token };
  }
  const message = `An account has at most ${ACCESS_TOKENS_MAX} access tokens. Revoke one first.`;
  throw new AppError("conflict", message);
}
