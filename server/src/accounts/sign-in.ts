import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Auth } from "./auth.ts";
import { insertChallenge } from "./challenges/store.ts";
import { findAccountByEmail } from "./store.ts";
import { isTwoFactorOn } from "./two-factor/two-factor.ts";

/** What became of the first proof: it is enough, or a code is wanted by the holder of the token. */
export type FirstFactor =
  | { readonly kind: "enough"; readonly accountId: string }
  | { readonly kind: "code_wanted"; readonly token: string };

/** The password need not be typed again for so long. */
const CODE_LIFE_MS = 10 * 60_000;

/** Checks address and password; throws `unauthenticated` with the same words, after the same time, for both. */
export async function passFirstFactor(
  { context, auth }: { readonly context: Context; readonly auth: Pick<Auth, "isPassword"> },
  { email, password }: { readonly email: string; readonly password: string },
): Promise<FirstFactor> {
  const account = await findAccountByEmail(context, email);
  const accountId = account?.id ?? "";
  if (!(await auth.isPassword(accountId, password))) {
    throw new AppError("unauthenticated", "The e-mail address or the password is wrong.");
  }
  return askSecondFactor(context, accountId);
}

/** Asks for a code where the account has two-factor sign-in on. */
export async function askSecondFactor(context: Context, accountId: string): Promise<FirstFactor> {
  if (!(await isTwoFactorOn(context, accountId))) return { kind: "enough", accountId };
  const question = { kind: "two_factor", accountId, content: "", lifeMs: CODE_LIFE_MS } as const;
  return { kind: "code_wanted", token: await insertChallenge(context, question) };
}
