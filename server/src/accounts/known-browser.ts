import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { newToken } from "#token.ts";
import type { Caller } from "./caller.ts";

/** An account, and the password hash that its known browsers depend on. */
export interface KnownBrowserOwner {
  readonly accountId: string;
  /** The stored hash; null if there is none. After a password change no browser is known. */
  readonly passwordHash: string | null;
}

/** Reads and writes cookies. `http/` implements it. */
export interface Cookies {
  /** Returns the full name of a cookie, for the server's base URL. */
  readonly getName: (purpose: "session", baseUrl: string) => string;
  /** Returns the value of a cookie in a `Cookie` header; null if it is missing. */
  readonly read: (header: string | undefined, name: string) => string | null;
  /** Returns a `Set-Cookie` line. A lifetime of 0 deletes the cookie. */
  readonly formatLine: (cookie: {
    readonly name: string;
    readonly value: string;
    readonly ttlMs: number;
  }) => string;
}

/** A browser is forgotten after half a year without a sign-in. Each sign-in restarts that period. */
const KNOWN_BROWSER_TTL_MS = 180 * 24 * 3_600_000;
const KEY_BYTES = 32;
/** A token of `newToken`, milliseconds in base 36, and an HMAC-SHA-256 in base64url. */
const COOKIE_VALUE_PATTERN = /^([\w-]{27})\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/** Recognises the browsers in which an account signed in before. */
export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/**
 * Creates and recognises the cookies of browsers in which an account signed in before, known as "device cookies"
 * (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). Such a cookie does not sign in. Wrong passwords and
 * codes from its browser are counted separately, so that strangers who guess cannot lock the owner out. Stores nothing.
 */
export function createKnownBrowsers(deps: {
  readonly secret: string;
  readonly now: () => number;
  readonly isSecure: boolean;
  readonly cookies: Cookies;
}) {
  const { secret, now, isSecure, cookies } = deps;
  const key = Buffer.from(hkdfSync("sha256", secret, "", "tocsin known-browser", KEY_BYTES));
  const sign = ({ accountId, passwordHash }: KnownBrowserOwner, text: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([accountId, passwordHash, text]))
      .digest();
  const findId = ({ headers: { cookie } }: Pick<Caller, "headers">, account: KnownBrowserOwner) => {
    const value = cookies.read(cookie, toCookieName(account.accountId, isSecure)) ?? "";
    const [, id = "", signedInAt = "", signature = ""] = COOKIE_VALUE_PATTERN.exec(value) ?? [];
    // Computed even without a valid cookie, so that the timing reveals nothing.
    const expected = sign(account, `${id}.${signedInAt}`);
    const received = Buffer.from(signature, "base64url");
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) return null;
    return now() - Number.parseInt(signedInAt, 36) < KNOWN_BROWSER_TTL_MS ? id : null;
  };
  return {
    /** Returns the id of the browser if this account signed in there with its current password; otherwise null. */
    findId,

    /** Returns the `Set-Cookie` line that makes a browser known to the account. */
    createCookie(caller: Pick<Caller, "headers">, account: KnownBrowserOwner): string {
      // A known browser keeps its id, so that its earlier wrong attempts still count.
      const id = findId(caller, account) ?? newToken();
      const text = `${id}.${now().toString(36)}`;
      const value = `${text}.${sign(account, text).toString("base64url")}`;
      return cookies.formatLine({
        name: toCookieName(account.accountId, isSecure),
        value,
        ttlMs: KNOWN_BROWSER_TTL_MS,
      });
    },

    /** Returns the `Set-Cookie` line that deletes the account's cookie. */
    formatDeletionCookie: (accountId: string): string =>
      cookies.formatLine({ name: toCookieName(accountId, isSecure), value: "", ttlMs: 0 }),
  };
}

/** Each account has its own cookie, because several people may use one browser. */
function toCookieName(accountId: string, isSecure: boolean): string {
  const tag = createHash("sha256").update(accountId).digest("hex").slice(0, 16);
  return `${isSecure ? "__Host-" : ""}tocsin_known_${tag}`;
}
