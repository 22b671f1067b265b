/** The ways to sign in besides password and passkey, and who may sign up. */
export interface SignInMethods {
  /** Null if no identity provider is configured. */
  readonly oidc: { readonly name: string } | null;
  /** Whether the server mails links, such as password reset links. */
  readonly sendsMail: boolean;
  readonly signUp: "open" | "invite" | "closed";
  /** The first account exists, so set-up links no longer work. */
  readonly isSetUp: boolean;
}

/** The request that begins a sign-in at the identity provider; `token` is that of a set-up or invitation link. */
export interface OidcBeginning {
  readonly token?: string;
}

/** The URL to open in the browser. */
export interface OidcBegun {
  readonly url: string;
}

/** The parameters that the identity provider added to the redirect. */
export interface OidcReturn {
  readonly state: string;
  readonly code: string;
  readonly iss?: string;
}
