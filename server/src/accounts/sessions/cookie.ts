import { createHmac, timingSafeEqual } from "node:crypto";
import type { Cookies } from "../known-browser.ts";

/** Lifetime of a session and its cookie, from its last extension. */
export const SESSION_TTL_MS = 30 * 24 * 3_600_000;

/** Reads and writes the cookie of a session. */
export type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * Creates the reader and writer of the session cookie: the token, a dot and its HMAC-SHA-256 with the session secret
 * in base64, percent-encoded. Because of the signature, tokens of other servers, or tokens that were written into the
 * database, do not open a session.
 */
export function createSessionCookie(deps: {
  readonly secret: string;
  readonly baseUrl: string;
  readonly cookies: Cookies;
}) {
  const { secret, baseUrl, cookies } = deps;
  const name = cookies.getName("session", baseUrl);
  const sign = (token: string) => createHmac("sha256", secret).update(token).digest("base64");
  return {
    /** Returns the token in a `Cookie` header; null if there is none that this server signed. */
    read(header: string | undefined): string | null {
      const value = decodeCookieValue(cookies.read(header, name) ?? "");
      const dotIndex = value.lastIndexOf(".");
      const token = value.slice(0, Math.max(dotIndex, 0));
      // Compared as strings, because only one base64 form of the same bytes is accepted.
      return isEqual(value.slice(dotIndex + 1), sign(token)) && token !== "" ? token : null;
    },

    /** Returns the `Set-Cookie` line that sets a token. */
    format: (token: string): string =>
      cookies.formatLine({
        name,
        value: encodeURIComponent(`${token}.${sign(token)}`),
        ttlMs: SESSION_TTL_MS,
      }),

    /** Returns the `Set-Cookie` line that deletes the cookie. */
    formatDeletion: (): string => cookies.formatLine({ name, value: "", ttlMs: 0 }),
  };
}

function decodeCookieValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}

function isEqual(received: string, expected: string): boolean {
  const receivedBytes = Buffer.from(received);
  const expectedBytes = Buffer.from(expected);
  return (
    receivedBytes.length === expectedBytes.length && timingSafeEqual(receivedBytes, expectedBytes)
  );
}
