import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";
import { hashToken, newToken } from "#token.ts";
import { isEmailAddress } from "#mail/mail.ts";
import { insertChallenge, takeChallenge } from "../store/challenges.ts";
import type { Account } from "../account.ts";
import { signUpVerified, type SignUpDeps } from "../sign-up.ts";
import { findAccountByEmail } from "../store/accounts.ts";
import type {
  AuthorizationAnswer,
  Identity,
  IdentityProvider,
  SignInSecrets,
} from "./identity-provider.ts";
import { findByIdentity, linkIdentity } from "./store.ts";

/** The dependencies of signing in through an identity provider. */
export interface OidcDeps extends SignUpDeps {
  readonly provider: IdentityProvider;
}

/** A sign-in that continues at the identity provider. */
export interface BegunSignIn {
  readonly url: string;
  /**
   * Stored in a cookie: only the browser that began may finish, otherwise a stranger could sign somebody in to the
   * stranger's account.
   */
  readonly browserSecret: string;
}

/** The parameters of a browser that returns from the identity provider. */
export interface ReturnedSignIn extends AuthorizationAnswer {
  readonly browserSecret: string;
  /** As `strangerAt` returns it. */
  readonly by: Actor;
}

interface OidcChallenge extends SignInSecrets {
  readonly browserHash: string;
  /** The token of a set-up or invitation link. */
  readonly signUpToken: string | null;
}

/** The longest stay at the identity provider. */
export const OIDC_LIFE_MS = 10 * 60_000;
const NAME_MAX_CHARACTERS = 100;

/** Begins a sign-in; `signUpToken` is that of a set-up or invitation link. Throws `unavailable`. */
export async function beginOidc(
  { context, provider }: OidcDeps,
  signUpToken: string | null,
): Promise<BegunSignIn> {
  const browserSecret = newToken();
  const url = await provider.begin((secrets) => {
    const content: OidcChallenge = {
      ...secrets,
      browserHash: hashToken(browserSecret),
      signUpToken,
    };
    const lifeMs = OIDC_LIFE_MS;
    const text = JSON.stringify(content);
    return insertChallenge(context, { kind: "oidc", accountId: null, content: text, lifeMs });
  });
  return { url: url.href, browserSecret };
}

/**
 * Returns the account of a person who returns from the identity provider: the one linked to the identity, else that
 * with the address, else a new one if sign-up allows it. Throws `expired`, `unauthenticated`, `unavailable`,
 * `forbidden` for an address that was not verified on both sides, and as `signUp` does.
 */
export async function finishOidc(deps: OidcDeps, returned: ReturnedSignIn): Promise<string> {
  const { context, provider } = deps;
  const { browserSecret, by, ...answer } = returned;
  const question = await takeChallenge(context, { kind: "oidc", token: answer.state });
  // Written by `beginOidc`.
  const content = question === null ? null : (JSON.parse(question.content) as OidcChallenge);
  if (content?.browserHash !== hashToken(browserSecret)) {
    throw new AppError(
      "expired",
      "This sign-in is over, or began in another browser. Start again.",
    );
  }
  const identity = await provider.finish(answer, content);
  const foreign = { issuer: provider.issuer, subject: identity.subject };
  const known = await findByIdentity(context, foreign);
  if (known !== null) return known;
  const accountId = await accountFor(deps, { identity, signUpToken: content.signUpToken, by });
  await linkIdentity(context, { ...foreign, accountId, by });
  // Of several concurrent first sign-ins, one creates the link.
  return (await findByIdentity(context, foreign)) ?? accountId;
}

async function accountFor(
  deps: OidcDeps,
  {
    identity,
    signUpToken,
    by,
  }: { readonly identity: Identity; readonly signUpToken: string | null; readonly by: Actor },
): Promise<string> {
  const email = identity.verifiedEmail?.toLowerCase() ?? "";
  if (!isEmailAddress(email)) {
    const message = "The identity provider has not verified your e-mail address.";
    throw new AppError("forbidden", message);
  }
  const account = await findAccountByEmail(deps.context, email);
  if (account !== null) return linkable(account);
  const name = (identity.name ?? email).slice(0, NAME_MAX_CHARACTERS);
  try {
    return await signUpVerified(deps, { email, name, token: signUpToken, by });
  } catch (error) {
    // A concurrent sign-in of this person may have created the account, and used up the link, since the look-up.
    const made = await findAccountByEmail(deps.context, email);
    if (!(error instanceof AppError) || made === null) throw error;
    return linkable(made);
  }
}

/** Returns the account's id; throws `forbidden` if nobody has proved to own its address. */
function linkable(account: Account): string {
  // Otherwise a stranger who signed up with the address first would share the account with its owner.
  if (account.isEmailVerified) return account.id;
  const message =
    "There is an account with this address, but the address is not confirmed. First choose a new password by e-mail.";
  throw new AppError("forbidden", message);
}
