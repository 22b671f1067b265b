import { newToken } from "#token.ts";

/** A credential that signs in a native app, the command line or another program, without its secret. */
export interface AccessToken {
  readonly id: string;
  readonly label: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** The prefix lets secret scanners find a leaked token. */
const TOKEN_PREFIX = "tat_";
const TOKEN_PATTERN = /^tat_[A-Za-z0-9_-]{27}$/;

/** Returns a new token: `tat_` and a secret of 27 base64url characters. */
export function generateAccessToken(): string {
  return `${TOKEN_PREFIX}${newToken()}`;
}

/** Returns whether a string has the form of an access token. Other strings need no database lookup. */
export function isAccessToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}
