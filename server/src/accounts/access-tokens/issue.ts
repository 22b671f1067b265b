import type { Context } from "#context.ts";
import { hashSecret } from "#secret.ts";
import { parseName } from "../account.ts";
import { newAccessToken } from "./access-token.ts";
import { insertAccessToken } from "./store.ts";

/** Makes an access token and returns it, this once; throws `invalid_field` for the label. */
export async function issueAccessToken(
  context: Context,
  input: { accountId: string; label: string },
): Promise<{ readonly id: string; readonly token: string }> {
  const label = parseName("label", input.label);
  const id = context.newId();
  const token = newAccessToken();
  const { accountId } = input;
  await insertAccessToken(context, { id, accountId, label, tokenHash: hashSecret(token) });
  return { id, token };
}
