let token: string | null = null;

/** Keeps, as long as the page is open, what the app on the Home Screen can come in by. */
export function keepInstallToken(given: string | null): void {
  token = given;
}

/** Returns what was kept, and keeps it no longer: a link names it from then on. */
export function takeInstallToken(): string | null {
  const taken = token;
  token = null;
  return taken;
}
