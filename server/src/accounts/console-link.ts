/** The pages of the console that are opened by a link with a token. */
type ConsolePage =
  | "a"
  | "add"
  | "invitation"
  | "reset-password"
  | "set-up"
  | "sign-up"
  | "verify"
  | "verify-email-change";

/**
 * Returns the link to a page of the console, with a token in its fragment. Browsers do not send the fragment, so the
 * token is not logged by proxies.
 */
export function createConsoleLink(baseUrl: string, page: ConsolePage, token: string): string {
  return `${baseUrl}/${page}#token=${token}`;
}
