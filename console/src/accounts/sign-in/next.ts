/** Where to go on after the identity provider; in this tab alone, as it may hold the secret of an invitation. */
const STORAGE_KEY = "tocsin.next";

/** Keeps where to go on after a sign-in that leaves this page; `token` is that of a set-up or invitation link. */
export function keepNext(token: string | null): void {
  sessionStorage.setItem(STORAGE_KEY, nextAfter(location, token));
}

/** Returns where a sign-in that began on a page leads: an invitation is accepted where it was opened, after a set-up all is done. */
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

/** Returns, once, where to go on. */
export function takeNext(): string {
  const next = sessionStorage.getItem(STORAGE_KEY) ?? "/";
  sessionStorage.removeItem(STORAGE_KEY);
  return isOwnPath(next) ? next : "/";
}

/** Returns where a page lies for who signs in first, nothing where one comes to by oneself; a hash may hold a secret. */
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

/** Returns whether a path is ours: not another host, which `//host`, `/\host` or `/` with a tab after it would be. */
export function isOwnPath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex -- URL parsers drop these anywhere
  return /^\/(?![/\\])/.test(path) && !/[\u0000-\u001f]/.test(path);
}
