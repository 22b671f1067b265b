let token = "";

/** Takes the secret of a link out of the address bar and the history; called once, before the first route. */
export function takeLinkToken(): void {
  token = tokenIn(location);
  if (token !== "") history.replaceState(history.state, "", location.pathname);
  // Opened where its page is open already, a link changes the fragment alone, which loads nothing.
  addEventListener("hashchange", () => {
    if (tokenIn(location) !== "") location.reload();
  });
}

/** Returns the secret of the link by which the page was opened, empty for none. */
export function linkToken(): string {
  return token;
}

/** Returns the secret in an address: `#token=` of a link, `?pair=` of an installed app. */
export function tokenIn({ search, hash }: Pick<Location, "search" | "hash">): string {
  const fragment = new URLSearchParams(hash.slice(1));
  return fragment.get("token") ?? new URLSearchParams(search).get("pair") ?? "";
}
