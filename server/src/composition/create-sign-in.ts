import { createAttemptLimit, type AttemptLimit } from "#accounts/attempt-limit.ts";
import { createAuth, type Auth } from "#accounts/auth.ts";
import { createFailedSignInLog } from "#accounts/failed-sign-in-log.ts";
import { createPairingCodes } from "#accounts/pairings/codes.ts";
import { createAppPairing, type CodePairing } from "#accounts/pairings/pair-app.ts";
import { WRONG_CODE_RATE } from "#accounts/pairings/pair.ts";
import type { SealFor } from "#accounts/seal.ts";
import type { Context } from "#context.ts";
import { COOKIE_FUNCTIONS } from "#http/cookies.ts";
import { createPurposeSeal } from "#secrets/purpose-seal.ts";
import { createPurposeSignature, type PurposeSignature } from "#secrets/purpose-signature.ts";
import { mayHashTokens } from "./session-tokens.ts";

/** The parts that depend on the session secret. */
export interface SignIn {
  /** The session secret, see `loadSecrets`. */
  readonly secret: string;
  readonly sealFor: SealFor;
  readonly auth: Auth;
  /** Limits wrong pairing codes per network, for browsers and apps together. */
  readonly wrongCodeLimit: AttemptLimit;
  readonly appPairing: CodePairing;
  /** Signs the links in alarm emails, with which a person acts on an incident without a session. */
  readonly actLinkSignature: PurposeSignature;
}

/**
 * Builds the parts that depend on the session secret: sign-in, seals, the pairing of apps, and the signature of the
 * links in alarm emails.
 */
export function createSignIn(
  context: Context,
  { baseUrl, secret }: { readonly baseUrl: string; readonly secret: string },
): SignIn {
  const sealFor: SealFor = (purpose) => createPurposeSeal(secret, purpose);
  const auth = createAuth({
    context,
    baseUrl,
    secret,
    sealFor,
    cookies: COOKIE_FUNCTIONS,
    mayHashTokens: () => mayHashTokens(context),
  });
  const actLinkSignature = createPurposeSignature(secret, "incident link");
  const wrongCodeLimit = createAttemptLimit(context, WRONG_CODE_RATE);
  const appPairing = createAppPairing({
    context,
    codes: createPairingCodes(secret),
    failedSignIns: createFailedSignInLog(context),
    wrongCodeLimit,
  });
  return { secret, sealFor, auth, wrongCodeLimit, appPairing, actLinkSignature };
}
