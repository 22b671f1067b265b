/** What the page's address asks for. */
export type Route =
  /** `openId` is the notification to open, null for none. */
  | { readonly kind: "home"; readonly openId: string | null }
  /** `token` is that of a link, empty where the address has none. */
  | { readonly kind: "set-up" | "invitation" | "verify" | "reset"; readonly token: string };

/** Returns the route of an address; one that the page does not know is home. */
export function routeOf({ pathname, searchParams }: URL): Route {
  const path = pathname.replace(/(?<=.)\/+$/, "");
  const kind = LINKS.get(path);
  if (kind !== undefined) return { kind, token: searchParams.get("token") ?? "" };
  const openId = /^\/n\/([^/]+)$/.exec(path)?.[1];
  return { kind: "home", openId: openId === undefined ? null : decode(openId) };
}

const LINKS: ReadonlyMap<string, "set-up" | "invitation" | "verify" | "reset"> = new Map([
  ["/set-up", "set-up"],
  ["/invitation", "invitation"],
  ["/verify", "verify"],
  ["/reset", "reset"],
  ["/reset-password", "reset"],
]);

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
