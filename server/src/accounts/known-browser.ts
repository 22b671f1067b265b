import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { newToken } from "#token.ts";
import type { Caller } from "./caller.ts";

/** An account, with the password hash that its known browsers depend on. */
export interface KnownTo {
  readonly accountId: string;
  /** As stored; null if there is none. After a change of password all browsers are strangers again. */
  readonly passwordHash: string | null;
}

/** Reading and writing of cookies; `http/` implements it. */
export interface Cookies {
  /** Returns the name of a cookie of the server at this base URL. */
  readonly name: (purpose: "session", baseUrl: string) => string;
  /** Returns the value of a cookie in a `Cookie` header; null if it is missing. */
  readonly read: (header: string | undefined, name: string) => string | null;
  /** Returns a `Set-Cookie` line; a life of 0 deletes the cookie. */
  readonly line: (cookie: {
    readonly name: string;
    readonly value: string;
    readonly lifeMs: number;
  }) => string;
}

/** A browser without a sign-in for half a year becomes a stranger; each sign-in restarts that period. */
const LIFE_MS = 180 * 24 * 3_600_000;
const KEY_BYTES = 32;
/** The form of `newToken`, then milliseconds in base 36, then HMAC-SHA-256 in base64url. */
const FORM = /^([\w-]{27})\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/** Recognizes the browsers in which an account signed in before. */
export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/**
 * Creates and recognizes the cookies of browsers in which an account signed in before: "device cookies" as OWASP
 * describes them ("Slow Down Online Guessing Attacks with Device Cookies"). Such a cookie signs nobody in; wrong
 * passwords and codes of its browser are counted separately, so that strangers who guess cannot lock the owner out.
 * Stores nothing.
 */
export function createKnownBrowsers(options: {
  readonly secret: string;
  readonly now: () => number;
  readonly isSecure: boolean;
  readonly cookies: Cookies;
}) {
  const { secret, now, isSecure, cookies } = options;
  const key = Buffer.from(hkdfSync("sha256", secret, "", "tocsin known-browser", KEY_BYTES));
  const signatureOf = ({ accountId, passwordHash }: KnownTo, text: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([accountId, passwordHash, text]))
      .digest();
  const idOf = ({ headers: { cookie } }: Pick<Caller, "headers">, knownTo: KnownTo) => {
    const value = cookies.read(cookie, cookieName(knownTo.accountId, isSecure)) ?? "";
    const [, id = "", since = "", signature = ""] = FORM.exec(value) ?? [];
    // Computed even without a valid cookie, so that timing reveals nothing.
    const right = signatureOf(knownTo, `${id}.${since}`);
    const given = Buffer.from(signature, "base64url");
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return now() - Number.parseInt(since, 36) < LIFE_MS ? id : null;
  };
  return {
    /** Returns the browser's own id if this account signed in there before, with its present password; else null. */
    idOf,

    /** Returns the `Set-Cookie` line that makes a browser known to the account. */
    cookieFor(caller: Pick<Caller, "headers">, knownTo: KnownTo): string {
      // A known browser keeps its id, and with it its used tries.
      const id = idOf(caller, knownTo) ?? newToken();
      const text = `${id}.${now().toString(36)}`;
      const value = `${text}.${signatureOf(knownTo, text).toString("base64url")}`;
      return cookies.line({
        name: cookieName(knownTo.accountId, isSecure),
        value,
        lifeMs: LIFE_MS,
      });
    },

    /** Returns the `Set-Cookie` line that makes a browser forget the account. */
    endedCookie: (accountId: string): string =>
      cookies.line({ name: cookieName(accountId, isSecure), value: "", lifeMs: 0 }),
  };
}

/** Each account has a cookie of its own: several people may use one browser. */
function cookieName(accountId: string, isSecure: boolean): string {
  const tag = createHash("sha256").update(accountId).digest("hex").slice(0, 16);
  return `${isSecure ? "__Host-" : ""}tocsin_known_${tag}`;
}
