let token: string | null = null;

/** Keeps the token with which the app on the Home Screen can sign in, as long as the page is open. */
export function keepInstallToken(given: string | null): void {
  token = given;
}

/** Returns the kept token once: from then on a link contains it. */
export function takeInstallToken(): string | null {
  const taken = token;
  token = null;
  return taken;
}
