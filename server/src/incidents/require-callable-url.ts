import { checkCallbackUrl } from "#callbacks/callback.ts";
import { hasSecret } from "#callbacks/store/secrets.ts";
import type { Context } from "#context.ts";
import { invalidField } from "#errors.ts";
import type { SendOrder } from "#notifications/order.ts";

/** The dependencies of the check of a callback URL. */
export interface CallbackUrlDeps {
  readonly context: Context;
  /** Origins in the operator's own network that callbacks may call. */
  readonly allowOrigins: readonly string[];
}

/**
 * Throws `invalid_field` on `callback` if a send names a URL that the server would not call, or if its sender has no
 * secret to sign the calls with.
 */
export async function requireCallableUrl(
  { context, allowOrigins }: CallbackUrlDeps,
  {
    sender: { keyId, sourceId },
    interaction: { callbackUrl },
  }: Pick<SendOrder, "sender" | "interaction">,
): Promise<void> {
  if (callbackUrl === null) return;
  const verdict = checkCallbackUrl({ allowOrigins }, callbackUrl);
  if (!verdict.ok) throw invalidField("callback", `callback ${verdict.message}`);
  if (keyId === null) {
    throw invalidField("callback", "callback needs an API key, whose secret signs the calls.");
  }
  if (await hasSecret(context, sourceId)) return;
  const message =
    "This key has no callback secret, which signs the calls. Create one in the key's menu in the console.";
  throw invalidField("callback", message);
}
