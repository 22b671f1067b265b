import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";
import { hashToken, newToken } from "#token.ts";
import { isEmailAddress } from "#mail/mail.ts";
import { insertChallenge, takeChallenge } from "../store/challenges.ts";
import { NAME_MAX_CHARACTERS, type Account } from "../account.ts";
import { signUpVerified, type SignUpDeps } from "../sign-up.ts";
import { findAccountByEmail } from "../store/accounts.ts";
import type {
  AuthorizationResponse,
  Identity,
  IdentityProvider,
  SignInSecrets,
} from "./identity-provider.ts";
import { findAccountIdByIdentity, linkIdentity } from "./store.ts";

/** The dependencies of the sign-in through an identity provider. */
export interface OidcDeps extends SignUpDeps {
  readonly provider: IdentityProvider;
}

/** A sign-in that continues at the identity provider. */
export interface StartedSignIn {
  readonly url: string;
  /**
   * Stored in a cookie, so that only the starting browser can finish the sign-in. Otherwise an attacker could sign a
   * victim in to the attacker's account.
   */
  readonly browserSecret: string;
}

/** The parameters of a browser's return from the identity provider. */
export interface SignInCallback extends AuthorizationResponse {
  readonly browserSecret: string;
  /** The actor in the form that `createUnknownActor` returns. */
  readonly actor: Actor;
}

interface OidcChallenge extends SignInSecrets {
  readonly browserHash: string;
  /** The token of a set-up or invitation link. */
  readonly signUpToken: string | null;
}

/** The time that a person may take at the identity provider. */
export const OIDC_SIGN_IN_TTL_MS = 10 * 60_000;

/**
 * Starts a sign-in. `signUpToken` is the token of a set-up or invitation link. Throws `unavailable` if the identity
 * provider fails.
 */
export async function beginOidc(
  { context, provider }: OidcDeps,
  signUpToken: string | null,
): Promise<StartedSignIn> {
  const browserSecret = newToken();
  const url = await provider.begin((secrets) => {
    const content: OidcChallenge = {
      ...secrets,
      browserHash: hashToken(browserSecret),
      signUpToken,
    };
    const text = JSON.stringify(content);
    return insertChallenge(context, {
      kind: "oidc",
      accountId: null,
      content: text,
      ttlMs: OIDC_SIGN_IN_TTL_MS,
    });
  });
  return { url: url.href, browserSecret };
}

/**
 * Returns the id of the account of a person who returns from the identity provider: the account linked to the identity,
 * otherwise the one with the identity's email address, otherwise a new one if sign-up is allowed. Throws `expired` if
 * the sign-in has expired or was started in another browser, `unauthenticated` if the code or token is invalid,
 * `unavailable` if the identity provider fails, `forbidden` if the address is not verified on both sides, and the
 * errors of `signUp`.
 */
export async function finishOidc(deps: OidcDeps, callback: SignInCallback): Promise<string> {
  const { context, provider } = deps;
  const { browserSecret, actor, ...response } = callback;
  const challenge = await takeChallenge(context, { kind: "oidc", token: response.state });
  // `beginOidc` writes this format.
  const content = challenge === null ? null : (JSON.parse(challenge.content) as OidcChallenge);
  if (content?.browserHash !== hashToken(browserSecret)) {
    throw new AppError(
      "expired",
      "This sign-in has expired, or was started in another browser. Start again.",
    );
  }
  const identity = await provider.finish(response, content);
  const identityKey = { issuer: provider.issuer, subject: identity.subject };
  const linkedAccountId = await findAccountIdByIdentity(context, identityKey);
  if (linkedAccountId !== null) return linkedAccountId;
  const accountId = await findOrCreateAccount(deps, {
    identity,
    signUpToken: content.signUpToken,
    actor,
  });
  await linkIdentity(context, { ...identityKey, accountId, actor });
  // Only one of several concurrent first sign-ins creates the link.
  return (await findAccountIdByIdentity(context, identityKey)) ?? accountId;
}

async function findOrCreateAccount(
  deps: OidcDeps,
  {
    identity,
    signUpToken,
    actor,
  }: { readonly identity: Identity; readonly signUpToken: string | null; readonly actor: Actor },
): Promise<string> {
  const email = identity.verifiedEmail?.toLowerCase() ?? "";
  if (!isEmailAddress(email)) {
    const message = "The identity provider has not verified your email address.";
    throw new AppError("forbidden", message);
  }
  const account = await findAccountByEmail(deps.context, email);
  if (account !== null) return requireVerifiedEmail(account);
  const name = (identity.name ?? email).slice(0, NAME_MAX_CHARACTERS);
  try {
    return await signUpVerified(deps, { email, name, token: signUpToken, actor });
  } catch (error) {
    // A concurrent sign-in of this person may have created the account and used up the link since the lookup.
    const createdAccount = await findAccountByEmail(deps.context, email);
    if (!(error instanceof AppError) || createdAccount === null) throw error;
    return requireVerifiedEmail(createdAccount);
  }
}

/** Returns the account's id. Throws `forbidden` if its address is not verified. */
function requireVerifiedEmail(account: Account): string {
  // Otherwise a stranger who signed up with the address first would share the account with the address's owner.
  if (account.isEmailVerified) return account.id;
  const message =
    "There is an account with this address, but the address is not confirmed. First choose a new password by email.";
  throw new AppError("forbidden", message);
}
