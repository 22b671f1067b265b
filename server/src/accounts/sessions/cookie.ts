import { createHmac, timingSafeEqual } from "node:crypto";
import type { Cookies } from "../known-browser.ts";

/** Lifetime of a session, and of its cookie, from its last prolongation. */
export const SESSION_LIFE_MS = 30 * 24 * 3_600_000;

/** Reads and writes the cookie of a session. */
export type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * Returns the session cookie of a server: the token, a dot and its HMAC-SHA-256 by the session secret in base64, percent-encoded. The
 * signature keeps tokens of other servers, and those that somebody writes into a database, from opening a session.
 */
export function createSessionCookie(options: {
  readonly secret: string;
  readonly baseUrl: string;
  readonly cookies: Cookies;
}) {
  const { secret, baseUrl, cookies } = options;
  const name = cookies.name("session", baseUrl);
  const signatureOf = (token: string) =>
    createHmac("sha256", secret).update(token).digest("base64");
  return {
    /** Returns the token in a `Cookie` header; null where there is none that this server signed. */
    read(header: string | undefined): string | null {
      const value = decode(cookies.read(header, name) ?? "");
      const dot = value.lastIndexOf(".");
      const token = value.slice(0, Math.max(dot, 0));
      // Compared as texts: of several base64 forms of the same bytes one counts.
      return isSame(value.slice(dot + 1), signatureOf(token)) && token !== "" ? token : null;
    },

    /** Returns the `Set-Cookie` line that brings a token. */
    line: (token: string): string =>
      cookies.line({
        name,
        value: encodeURIComponent(`${token}.${signatureOf(token)}`),
        lifeMs: SESSION_LIFE_MS,
      }),

    /** Returns the `Set-Cookie` line with which the browser forgets the session. */
    ended: (): string => cookies.line({ name, value: "", lifeMs: 0 }),
  };
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
