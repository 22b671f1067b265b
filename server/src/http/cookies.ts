/** A cookie of the whole origin. Scripts cannot read it; other sites send it only by a link (`SameSite=Lax`). */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** How long the browser keeps the cookie; 0 deletes it. */
  readonly ttlMs: number;
}

/** The functions that read and write cookies, for a room that may not import `http/`. */
export const COOKIE_FUNCTIONS = {
  getName: getCookieName,
  read: readCookie,
  formatLine: formatSetCookie,
};

/**
 * Returns the full name of one of our cookies. For an https base URL, the prefix `__Host-` binds the cookie to this
 * host and to https (RFC 6265bis section 4.1.3.2).
 */
export function getCookieName(purpose: "session" | "oidc", baseUrl: string): string {
  return `${baseUrl.startsWith("https://") ? "__Host-" : ""}tocsin_${purpose}`;
}

/** Returns the value of a cookie in a `Cookie` header (RFC 6265 section 4.2.1); null if it is missing. */
export function readCookie(header: string | undefined, name: string): string | null {
  const cookiePairs = (header ?? "").split(";").map((pair) => pair.trim());
  const pair = cookiePairs.find((text) => text.startsWith(`${name}=`));
  return pair === undefined ? null : pair.slice(name.length + 1);
}

/** Returns the value of a `Set-Cookie` header. The cookie is restricted to https if its name begins with `__Host-`. */
export function formatSetCookie({ name, value, ttlMs }: Cookie): string {
  const secure = name.startsWith("__Host-") ? " Secure;" : "";
  return `${name}=${value}; Max-Age=${ttlMs / 1_000}; Path=/; HttpOnly;${secure} SameSite=Lax`;
}
