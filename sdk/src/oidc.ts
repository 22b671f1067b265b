/** How one can sign in beside password and passkey; null where no identity provider is configured. */
export interface SignInMethods {
  readonly oidc: { readonly name: string } | null;
  /** Whether the server mails links, as to a new password. */
  readonly sendsMail: boolean;
}

/** The request that begins a sign-in at the identity provider; `token` is that of a set-up or invitation link. */
export interface OidcBeginning {
  readonly token?: string;
}

/** Where the browser goes. */
export interface OidcBegun {
  readonly url: string;
}

/** What the identity provider put into the address that the browser came back to. */
export interface OidcReturn {
  readonly state: string;
  readonly code: string;
  readonly iss?: string;
}
