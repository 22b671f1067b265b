/** How one can sign in here beside password and passkey, and who may sign up. */
export interface SignInMethods {
  /** Null where no identity provider is configured. */
  readonly oidc: { readonly name: string } | null;
  /** Whether the server mails links, as to a new password. */
  readonly sendsMail: boolean;
  readonly signUp: "open" | "invite" | "closed";
  /** The first account exists, so set-up links no longer work. */
  readonly isSetUp: boolean;
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
