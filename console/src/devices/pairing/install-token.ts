let token: string | null = null;

/** Keeps, in memory, the token that signs in the app on the Home Screen. */
export function keepInstallToken(newToken: string | null): void {
  token = newToken;
}

/** Returns the token and clears it: it is valid once, and a link contains it from now on. */
export function takeInstallToken(): string | null {
  const currentToken = token;
  token = null;
  return currentToken;
}
