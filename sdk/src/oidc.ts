/** The server's public settings of sign-in and sign-up. */
export interface SignInMethods {
  /** Null if no identity provider is configured. */
  readonly oidc: { readonly name: string } | null;
  /** Whether the server mails links, such as password reset links. */
  readonly sendsMail: boolean;
  readonly signUp: "open" | "invite" | "closed";
  /** Whether the server has an administrator, so that set-up links no longer work. */
  readonly isSetUp: boolean;
}

/**
 * The request that begins a sign-in at the identity provider; `token` comes from a set-up link or an invitation link.
 */
export interface OidcSignInRequest {
  readonly token?: string;
}

/** The URL of the identity provider, to open in the browser. */
export interface OidcSignInStart {
  readonly url: string;
}

/** The parameters that the identity provider added to the redirect. */
export interface OidcCallback {
  readonly state: string;
  readonly code: string;
  readonly iss?: string;
}
