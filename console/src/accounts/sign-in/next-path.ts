/**
 * The sessionStorage key of the page to open after the identity provider. Only this tab may read it, because it can
 * contain an invitation's token.
 */
const STORAGE_KEY = "tocsin.next";

/**
 * Stores the page to open after a sign-in at the identity provider. `linkToken` comes from a set-up or invitation link;
 * null for neither.
 */
export function storeNextPath(linkToken: string | null): void {
  sessionStorage.setItem(STORAGE_KEY, getNextPath(location, linkToken));
}

/**
 * Returns the page to open after a sign-in that began on this page. The page of an invitation's link accepts the
 * invitation; a set-up needs no further step.
 */
export function getNextPath(
  { pathname, search }: Pick<Location, "pathname" | "search">,
  linkToken: string | null,
): string {
  if (linkToken !== null && pathname === "/invitation") {
    return `${pathname}#${new URLSearchParams({ token: linkToken }).toString()}`;
  }
  const nextPath = new URLSearchParams(search).get("next") ?? "/";
  return isSameOriginPath(nextPath) ? nextPath : "/";
}

/** Returns the stored page and deletes it. Returns the start page if there is none. */
export function takeNextPath(): string {
  const nextPath = sessionStorage.getItem(STORAGE_KEY) ?? "/";
  sessionStorage.removeItem(STORAGE_KEY);
  return isSameOriginPath(nextPath) ? nextPath : "/";
}

/**
 * Returns the `next` parameter for a page that needs a sign-in first; empty for the start page. Omits the hash, which
 * may contain a token.
 */
export function toNextSearch({
  pathname,
  searchStr,
}: {
  readonly pathname: string;
  readonly searchStr: string;
}): { readonly next?: string } {
  const next = pathname + searchStr;
  return next === "/" || !isSameOriginPath(next) ? {} : { next };
}

/**
 * Returns whether a text is an absolute path on this host. `//host` and `/\host` name another host, and so do `/`
 * and `/host` with a tab between them.
 */
export function isSameOriginPath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex -- URL parsers ignore these characters everywhere
  return /^\/(?![/\\])/.test(path) && !/[\u0000-\u001f]/.test(path);
}
