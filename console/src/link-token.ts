let token = "";

/** Takes the secret of a link out of the address bar and the history; called once, before the first route. */
export function takeLinkToken(): void {
  token = tokenIn(location);
  if (token !== "") history.replaceState(history.state, "", location.pathname);
}

/** Returns the secret of the link by which the page was opened, empty for none. */
export function linkToken(): string {
  return token;
}

/** Returns the secret in an address: `?token=` of a mailed link, `#token=` of a scanned one, `?pair=` of an installed app. */
export function tokenIn({ search, hash }: Pick<Location, "search" | "hash">): string {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.slice(1));
  return query.get("token") ?? query.get("pair") ?? fragment.get("token") ?? "";
}
