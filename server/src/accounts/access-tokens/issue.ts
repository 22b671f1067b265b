import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { hashSecret } from "#secret.ts";
import { parseName } from "../account.ts";
import { newAccessToken } from "./access-token.ts";
import { insertAccessToken } from "./store.ts";

/** An account has at most this many that are good. */
export const ACCESS_TOKENS_MAX = 100;

/**
 * Makes an access token and returns it, this once; throws `invalid_field` for the label, and `conflict` where there are as many
 * as may be.
 */
export async function issueAccessToken(
  context: Context,
  input: { accountId: string; label: string; by: Actor },
): Promise<{ readonly id: string; readonly token: string }> {
  const label = parseName("label", input.label);
  const id = context.newId();
  const token = newAccessToken();
  const { accountId, by } = input;
  const made = { id, accountId, label, tokenHash: hashSecret(token), most: ACCESS_TOKENS_MAX, by };
  if (await insertAccessToken(context, made)) return { id, token };
  const message = `An account has at most ${ACCESS_TOKENS_MAX} access tokens. End one first.`;
  throw new AppError("conflict", message);
}
