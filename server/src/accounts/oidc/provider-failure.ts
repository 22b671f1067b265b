import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import { AppError } from "#errors.ts";

/** Error codes of the library for invalid responses. Any other code is a network or configuration problem. */
const REFUSAL_CODES = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
];
/** RFC 6749 section 5.2. */
const ERROR_CODE_PATTERN = /^[a-z_]{1,40}$/;

/** Converts an exception of the library to an error about the sign-in or about the provider. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // RFC 6749 section 5.2: `invalid_grant` is about the code. Every other error is about this server's credentials.
  if (error instanceof ResponseBodyError && error.error === "invalid_grant")
    return createSignInRefusedError();
  const isRefusal = error instanceof ClientError && REFUSAL_CODES.includes(error.code ?? "");
  return isRefusal ? createSignInRefusedError() : createProviderUnavailableError(error);
}

/** Returns the error for an identity provider that is unreachable, misconfigured or responds unexpectedly. */
export function createProviderUnavailableError(error: unknown): AppError {
  const message = "The identity provider returned an unexpected response. Try again later.";
  return new AppError("unavailable", message, { cause: removeResponse(error) });
}

/** Returns the error for a sign-in that the provider did not confirm. */
export function createSignInRefusedError(): AppError {
  const message = "The identity provider did not confirm this sign-in. Start again.";
  return new AppError("unauthenticated", message);
}

/**
 * Removes the response from an error. The cause is logged, and the library's errors quote responses, which may contain
 * tokens and email addresses.
 */
function removeResponse(error: unknown): unknown {
  if (error instanceof ResponseBodyError) {
    const code = ERROR_CODE_PATTERN.test(error.error) ? error.error : "an unknown error";
    return new Error(`The identity provider answered ${error.status} with ${code}.`);
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new Error(`The identity provider answered ${error.status}.`);
  }
  if (!(error instanceof ClientError)) return error;
  return new Error(`The identity provider failed: ${error.message} (${error.code ?? "no code"}).`);
}
