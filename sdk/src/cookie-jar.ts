/**
 * The session cookies of one server, for runtimes whose `fetch` keeps none; in browsers, which hide `Set-Cookie`, it
 * stays empty. Reads no attributes but the expiry: a jar belongs to one client, and a client to one origin.
 */
export class CookieJar {
  readonly #values = new Map<string, string>();

  /** Returns the `Cookie` header to send, null if there are no cookies. */
  header(): string | null {
    if (this.#values.size === 0) return null;
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Stores the cookies that an answer sets, and deletes those that it ends. */
  take(headers: Headers): void {
    const answeredAt = Date.parse(headers.get("date") ?? "") || 0;
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";");
      const [name, value] = splitOnce(pair);
      if (name === "") continue;
      if (isEnded(attributes, answeredAt)) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  /** Forgets every cookie. */
  clear(): void {
    this.#values.clear();
  }
}

/** RFC 6265 section 5.3: `Max-Age` wins over `Expires`, which is read by the server's own clock. */
function isEnded(attributes: readonly string[], answeredAt: number): boolean {
  const byName = new Map(
    attributes.map(splitOnce).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const maxAge = byName.get("max-age");
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const expires = byName.get("expires");
  return expires !== undefined && Date.parse(expires) <= answeredAt;
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text.trim(), ""] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
