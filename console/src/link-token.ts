let token = "";

/** Takes the token of a link out of the address bar and the history; called once, before the first route. */
export function takeLinkToken(): void {
  token = tokenIn(location);
  if (token !== "") history.replaceState(history.state, "", location.pathname);
  // A link to a page that is already open changes only the fragment, which loads nothing.
  addEventListener("hashchange", () => {
    if (tokenIn(location) !== "") location.reload();
  });
}

/** Returns the token of the link that opened the page; empty for none. */
export function linkToken(): string {
  return token;
}

/** Returns the token in an address: `#token=` of a link, `?pair=` of an installed app; empty for none. */
export function tokenIn({ search, hash }: Pick<Location, "search" | "hash">): string {
  const fragment = new URLSearchParams(hash.slice(1));
  return fragment.get("token") ?? new URLSearchParams(search).get("pair") ?? "";
}
