let installToken: string | null = null;

/** Stores the token that signs in the app on the Home Screen, in memory only. */
export function storeInstallToken(newToken: string | null): void {
  installToken = newToken;
}

/** Returns the token and clears it, because the token is valid only once. */
export function takeInstallToken(): string | null {
  const currentToken = installToken;
  installToken = null;
  return currentToken;
}
