import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { newToken } from "#token.ts";
import type { Caller } from "./caller.ts";

/** An account by what a browser is known to it with. */
export interface KnownTo {
  readonly accountId: string;
  /** As it is stored; null where there is none. With another password all browsers are strangers again. */
  readonly passwordHash: string | null;
}

/** Cookies as HTTP writes them; `http/` knows how. */
export interface Cookies {
  /** Returns the value of a cookie in a `Cookie` header; null where it is not there. */
  readonly read: (header: string | undefined, name: string) => string | null;
  /** Returns a `Set-Cookie` line; a life of 0 ends the cookie. */
  readonly line: (cookie: {
    readonly name: string;
    readonly value: string;
    readonly lifeMs: number;
  }) => string;
}

/** Half a year without a sign-in makes a stranger of a browser; each sign-in begins it anew. */
const LIFE_MS = 180 * 24 * 3_600_000;
const KEY_BYTES = 32;
/** As `newToken` makes it, then milliseconds in base 36, then HMAC-SHA-256 in base64url. */
const FORM = /^([\w-]{27})\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/** Recognizes the browsers in which an account signed in before. */
export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/**
 * Returns what makes and recognizes the cookies of browsers in which an account signed in before: "device cookies" as OWASP
 * describes them ("Slow Down Online Guessing Attacks with Device Cookies"). Such a cookie lets nobody in; whoever brings it is
 * counted alone when a password or code is wrong, so that strangers who guess cannot keep the owner out. Nothing is stored.
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
    // Computed for what is no cookie too: the time does not tell.
    const right = signatureOf(knownTo, `${id}.${since}`);
    const given = Buffer.from(signature, "base64url");
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return now() - Number.parseInt(since, 36) < LIFE_MS ? id : null;
  };
  return {
    /** Returns the browser's own id where this account signed in there before, by its present password; else null. */
    idOf,

    /** Returns the `Set-Cookie` line by which a browser is known to the account from now on. */
    cookieFor(caller: Pick<Caller, "headers">, knownTo: KnownTo): string {
      // What it used of its tries stays with it.
      const id = idOf(caller, knownTo) ?? newToken();
      const text = `${id}.${now().toString(36)}`;
      const value = `${text}.${signatureOf(knownTo, text).toString("base64url")}`;
      return cookies.line({
        name: cookieName(knownTo.accountId, isSecure),
        value,
        lifeMs: LIFE_MS,
      });
    },

    /** Returns the `Set-Cookie` line with which a browser forgets that the account was there. */
    endedCookie: (accountId: string): string =>
      cookies.line({ name: cookieName(accountId, isSecure), value: "", lifeMs: 0 }),
  };
}

/** Each account has a cookie of its own: several people may use one browser. */
function cookieName(accountId: string, isSecure: boolean): string {
  const tag = createHash("sha256").update(accountId).digest("hex").slice(0, 16);
  return `${isSecure ? "__Host-" : ""}tocsin_known_${tag}`;
}
