let installToken: string | null = null;

/**
 * Keeps in memory the token with which the app on the Home Screen signs in. Null after that app itself has signed in:
 * it needs no token.
 */
export function storeInstallToken(newToken: string | null): void {
  installToken = newToken;
}

/** Returns the token, which is valid only once, and forgets it; null if there is none. */
export function takeInstallToken(): string | null {
  const currentToken = installToken;
  installToken = null;
  return currentToken;
}
