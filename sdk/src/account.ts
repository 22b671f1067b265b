import type { Timestamp } from "./page.ts";
import type { PasswordConfirmation } from "./security.ts";

/** A person who can sign in. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** The request that creates an account; `token` comes from a set-up link or an invitation link. */
export interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly token?: string;
}

/** The request that opens a session. */
export interface SignIn {
  readonly email: string;
  readonly password: string;
}

/** The current session; `account` is null if there is no session. */
export interface Session {
  readonly account: Account | null;
}

/** The request for an email with a password reset link. */
export interface PasswordResetRequest {
  readonly email: string;
}

/** The request that sets a new password; `token` comes from an emailed link. */
export interface PasswordReset {
  readonly token: string;
  readonly newPassword: string;
}

/** The request that verifies an email address; `token` comes from an emailed link. */
export interface EmailVerification {
  readonly token: string;
}

/** An access token without its secret. Native apps, the command line and other programs sign in with one. */
export interface AccessToken {
  readonly id: string;
  readonly label: string;
  readonly createdAt: Timestamp;
  readonly lastUsedAt: Timestamp | null;
}

/** The request that creates an access token. Only a browser that a pairing signed in needs the password. */
export interface NewAccessToken extends PasswordConfirmation {
  readonly label: string;
}

/** A new access token; only this response contains `token`. */
export interface IssuedAccessToken {
  readonly id: string;
  readonly token: string;
}
