/** The pages of the console whose link carries a token that works once. */
type ConsolePage =
  | "add"
  | "invitation"
  | "reset-password"
  | "set-up"
  | "sign-up"
  | "verify"
  | "verify-email-change";

/**
 * Returns the link to a page of the console with a token in its fragment. Browsers never send a fragment, so the token reaches
 * no proxy's log.
 */
export function consoleLink(baseUrl: string, page: ConsolePage, token: string): string {
  return `${baseUrl}/${page}#token=${token}`;
}
