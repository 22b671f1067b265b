/** The pages that a link leads to whose secret makes it work once. */
type Page =
  | "add"
  | "invitation"
  | "reset-password"
  | "set-up"
  | "sign-up"
  | "verify"
  | "verify-email-change";

/**
 * Returns the link to a page of the console that hands it a secret. It is in the fragment, which no browser sends: it stands in
 * no log of a proxy.
 */
export function secretLink(baseUrl: string, page: Page, token: string): string {
  return `${baseUrl}/${page}#token=${token}`;
}
