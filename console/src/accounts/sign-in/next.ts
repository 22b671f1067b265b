/**
 * The sessionStorage key of the page to continue with after the identity provider. Only this tab may read it, as it can
 * contain the token of an invitation.
 */
const STORAGE_KEY = "tocsin.next";

/** Stores the page to continue with after leaving to sign in; `token` is that of a set-up or invitation link. */
export function keepNext(token: string | null): void {
  sessionStorage.setItem(STORAGE_KEY, nextAfter(location, token));
}

/**
 * Returns the page to continue with after a sign-in that began on this page: an invitation is accepted on the page
 * where it was opened, and a set-up needs nothing more.
 */
export function nextAfter(
  { pathname, search }: Pick<Location, "pathname" | "search">,
  token: string | null,
): string {
  if (token !== null && pathname === "/invitation") {
    return `${pathname}#${new URLSearchParams({ token }).toString()}`;
  }
  const next = new URLSearchParams(search).get("next") ?? "/";
  return isOwnPath(next) ? next : "/";
}

/** Returns the stored page once, and forgets it. */
export function takeNext(): string {
  const next = sessionStorage.getItem(STORAGE_KEY) ?? "/";
  sessionStorage.removeItem(STORAGE_KEY);
  return isOwnPath(next) ? next : "/";
}

/**
 * Returns the `next` parameter for a page that needs a sign-in first, and nothing for the start page. The hash is left
 * out, as it may contain a token.
 */
export function nextOf({
  pathname,
  searchStr,
}: {
  readonly pathname: string;
  readonly searchStr: string;
}): { readonly next?: string } {
  const next = pathname + searchStr;
  return next === "/" || !isOwnPath(next) ? {} : { next };
}

/** Returns whether a path stays on this host: `//host`, `/\host` or `/` with a tab after it would leave it. */
export function isOwnPath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex -- URL parsers drop these anywhere
  return /^\/(?![/\\])/.test(path) && !/[\u0000-\u001f]/.test(path);
}
