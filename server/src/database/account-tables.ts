/**
 * A person. The oldest tables, up to `VerificationTable`, store times and booleans in types of the engine, except in
 * columns that were added later.
 */
export interface AccountTable {
  id: string;
  name: string;
  email: string;
  email_verified: number | boolean;
  image: string | null;
  is_admin: number | boolean;
  created_at: string | Date;
  updated_at: string | Date;
  /** When an administrator suspended the account; null otherwise. */
  suspended_at: number | null;
}

/** A browser session of an account. */
export interface SessionTable {
  id: string;
  account_id: string;
  /** `sha256:` and the SHA-256 of the token, hexadecimal; the token itself while an earlier version may need it. */
  token: string;
  expires_at: string | Date;
  ip_address: string | null;
  user_agent: string | null;
  created_at: string | Date;
  updated_at: string | Date;
}

/** One way for an account to sign in: a password, or an identity at an identity provider. */
export interface CredentialTable {
  id: string;
  account_id: string;
  /** `credential` for a password, or the id of the identity provider, as `toProviderId` forms it. */
  provider_id: string;
  /** The person's id at the provider; the account's id for a password. */
  subject: string;
  /** The hash of the password; null for an identity. */
  password: string | null;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: string | Date | null;
  refresh_token_expires_at: string | Date | null;
  scope: string | null;
  created_at: string | Date;
  updated_at: string | Date;
}

/** An emailed link to a new password. */
export interface VerificationTable {
  id: string;
  /** SHA-256 of the token and its purpose, base64url. */
  identifier: string;
  /** The account's id. */
  value: string;
  expires_at: string | Date;
  created_at: string | Date;
  updated_at: string | Date;
}

/** The one-use link that creates the first account. There is at most one row. */
export interface SetupTokenTable {
  token_hash: string;
  created_at: number;
}

/** An invitation for one person to sign up, once. Signing up deletes the row. */
export interface SignUpInvitationTable {
  id: string;
  /** Lower case; null if anyone with the link may use it. */
  email: string | null;
  /** SHA-256, hexadecimal, of the token in the link that the administrator may copy. */
  token_hash: string;
  /** SHA-256, hexadecimal, of the token in the email, which also proves ownership of the address. */
  mail_token_hash: string | null;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

/** A token that signs in a native app, the command line or another program. */
export interface AccessTokenTable {
  id: string;
  account_id: string;
  label: string;
  token_hash: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** The second factor of an account, active from `confirmed_at` on. */
export interface TwoFactorTable {
  account_id: string;
  /** Sealed by `Seal`. */
  secret: string;
  created_at: number;
  confirmed_at: number | null;
  /** The time step of the last accepted code (RFC 6238 section 4.2). No code is accepted twice. */
  last_step: number;
}

/** A code that replaces the second factor once. Using it deletes the row. */
export interface BackupCodeTable {
  account_id: string;
  code_hash: string;
}

/** A credential of a browser or authenticator. */
export interface PasskeyTable {
  id: string;
  account_id: string;
  name: string;
  /** base64url. */
  credential_id: string;
  /** COSE_Key in base64url. */
  public_key: string;
  /** The authenticator's signature counter; 0 if it has none. */
  sign_count: number;
  created_at: number;
  last_used_at: number | null;
}

/** A challenge that must be answered once, before it expires. It is found by the hash of a random token. */
export interface ChallengeTable {
  token_hash: string;
  kind:
    | "two_factor"
    | "passkey_registration"
    | "passkey_sign_in"
    | "email_change"
    | "oidc"
    | "password_reset";
  account_id: string | null;
  /** JSON with the facts for checking the answer. */
  content: string;
  /** Wrong answers so far. */
  attempts: number;
  expires_at: number;
}

/**
 * A pairing that signs one more browser in to an account. A used row stays until it expires, so that the browser that
 * created the pairing learns that it was used.
 */
export interface PairingTable {
  id: string;
  account_id: string;
  /** The session that vouches for the new browser. */
  session_id: string;
  /** SHA-256, hexadecimal. */
  token_hash: string;
  /** HMAC-SHA-256, hexadecimal; null if the token belongs to an app that is being installed. */
  code_hash: string | null;
  expires_at: number;
  used_at: number | null;
}

/** A session that was opened by a pairing. */
export interface PairedSessionTable {
  session_id: string;
}
