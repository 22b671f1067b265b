let linkToken = "";

/** Reads a link's token and removes it from the address bar and the history. Called once, before the first route. */
export function takeLinkToken(): void {
  linkToken = parseLinkToken(location);
  if (linkToken !== "") history.replaceState(history.state, "", location.pathname);
  // A link to the page that is already open changes only the fragment, so the browser loads nothing.
  addEventListener("hashchange", () => {
    if (parseLinkToken(location) !== "") location.reload();
  });
}

/** Returns the token of the link that opened the page; empty if there is none. */
export function getLinkToken(): string {
  return linkToken;
}

/** Returns the token in a URL: `#token=` of a link, or `?pair=` of an installed app; empty if there is none. */
export function parseLinkToken({ search, hash }: Pick<Location, "search" | "hash">): string {
  const fragment = new URLSearchParams(hash.slice(1));
  return fragment.get("token") ?? new URLSearchParams(search).get("pair") ?? "";
}
