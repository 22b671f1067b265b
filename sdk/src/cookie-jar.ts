/**
 * The session cookies of one server, for runtimes whose `fetch` keeps no cookies. In browsers, which hide `Set-Cookie`,
 * the jar stays empty. Of a cookie's attributes, it reads only the expiry, because it serves one client and a client
 * has one origin.
 */
export class CookieJar {
  readonly #values = new Map<string, string>();

  /** Returns the `Cookie` header to send; null if there are no cookies. */
  header(): string | null {
    if (this.#values.size === 0) return null;
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Stores the cookies that a response sets, and deletes the cookies that it expires. */
  take(headers: Headers): void {
    const respondedAt = Date.parse(headers.get("date") ?? "") || 0;
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";");
      const [name, value] = splitAtEqualsSign(pair);
      if (name === "") continue;
      if (isExpired(attributes, respondedAt)) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  /** Deletes all cookies. */
  clear(): void {
    this.#values.clear();
  }
}

/** RFC 6265 section 5.3: `Max-Age` overrides `Expires`, which is compared with the server's own clock. */
function isExpired(attributes: readonly string[], respondedAt: number): boolean {
  const byName = new Map(
    attributes.map(splitAtEqualsSign).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const maxAge = byName.get("max-age");
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const expires = byName.get("expires");
  return expires !== undefined && Date.parse(expires) <= respondedAt;
}

function splitAtEqualsSign(text: string): [string, string] {
  const index = text.indexOf("=");
  return index < 0
    ? [text.trim(), ""]
    : [text.slice(0, index).trim(), text.slice(index + 1).trim()];
}
