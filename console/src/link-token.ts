let token = "";

/** Takes the secret of a mailed link out of the address bar and the history; called once, before the first route. */
export function takeLinkToken(): void {
  token = new URLSearchParams(location.search).get("token") ?? "";
  if (token !== "") history.replaceState(history.state, "", location.pathname);
}

/** Returns the secret of the link by which the page was opened, empty for none. */
export function linkToken(): string {
  return token;
}
