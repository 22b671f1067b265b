/**
 * The sessionStorage key of the page to open after the identity provider. Only this tab may read it, because it can
 * contain an invitation's token.
 */
const STORAGE_KEY = "tocsin.next";

/** Stores the page to open after a sign-in elsewhere. `token` comes from a set-up or invitation link. */
export function storeNext(token: string | null): void {
  sessionStorage.setItem(STORAGE_KEY, nextAfter(location, token));
}

/**
 * Returns the page to open after a sign-in that began on this page. An invitation is accepted on the page that opened
 * it; a set-up needs no further step.
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

/** Returns the stored page and deletes it. */
export function takeNext(): string {
  const next = sessionStorage.getItem(STORAGE_KEY) ?? "/";
  sessionStorage.removeItem(STORAGE_KEY);
  return isOwnPath(next) ? next : "/";
}

/**
 * Returns the `next` parameter for a page that needs a sign-in first; empty for the start page. Omits the hash, which may
 * contain a token.
 */
export function toNextSearch({
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
  // oxlint-disable-next-line no-control-regex -- URL parsers ignore these characters everywhere
  return /^\/(?![/\\])/.test(path) && !/[\u0000-\u001f]/.test(path);
}
