import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import { AppError } from "#errors.ts";

/** The library's codes for answers that arrived but are invalid; any other code is the network or the operator's mistake. */
const REFUSALS = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
];
/** RFC 6749 section 5.2. */
const ERROR_CODE = /^[a-z_]{1,40}$/;

/** Returns the error for an exception of the library: about the code and its tokens, or about the provider. */
export function verdictOn(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // RFC 6749 section 5.2: `invalid_grant` is about the code; every other refusal is about our credentials.
  if (error instanceof ResponseBodyError && error.error === "invalid_grant") return refused();
  const isRefusal = error instanceof ClientError && REFUSALS.includes(error.code ?? "");
  return isRefusal ? refused() : unreachable(error);
}

/** Returns the error for an identity provider that does not answer properly. */
export function unreachable(error: unknown): AppError {
  const message = "The identity provider does not answer properly. Try again later.";
  return new AppError("unavailable", message, { cause: withoutAnswer(error) });
}

/** Returns the error for a sign-in that the provider did not confirm. */
export function refused(): AppError {
  const message = "The identity provider did not confirm this sign-in. Start again.";
  return new AppError("unauthenticated", message);
}

/** The cause is logged, and the library's errors quote answers, which may contain tokens and addresses of people. */
function withoutAnswer(error: unknown): unknown {
  if (error instanceof ResponseBodyError) {
    const code = ERROR_CODE.test(error.error) ? error.error : "an unknown error";
    return new Error(`The identity provider answered ${error.status} with ${code}.`);
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new Error(`The identity provider answered ${error.status}.`);
  }
  if (!(error instanceof ClientError)) return error;
  return new Error(`The identity provider failed: ${error.message} (${error.code ?? "no code"}).`);
}
