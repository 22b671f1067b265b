/** A cookie that scripts and other sites cannot reach, for the whole origin. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** 0 deletes the cookie. */
  readonly lifeMs: number;
}

/** Functions to read and write cookies, for a folder that sets its own. */
export const COOKIES = { name: cookieName, read: readCookie, line: cookieLine };

/** Returns the name of one of our cookies; `__Host-` binds it to this host and to https (RFC 6265bis section 4.1.3.2). */
export function cookieName(purpose: "session" | "oidc", baseUrl: string): string {
  return `${baseUrl.startsWith("https://") ? "__Host-" : ""}tocsin_${purpose}`;
}

/** Returns the value of a cookie in a `Cookie` header (RFC 6265 section 4.2.1); null if it is missing. */
export function readCookie(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const pair = pairs.find((text) => text.startsWith(`${name}=`));
  return pair === undefined ? null : pair.slice(name.length + 1);
}

/** Returns a `Set-Cookie` line. Over https its name should start with `__Host-` (RFC 6265bis section 4.1.3.2). */
export function cookieLine({ name, value, lifeMs }: Cookie): string {
  const secure = name.startsWith("__Host-") ? " Secure;" : "";
  return `${name}=${value}; Max-Age=${lifeMs / 1_000}; Path=/; HttpOnly;${secure} SameSite=Lax`;
}
