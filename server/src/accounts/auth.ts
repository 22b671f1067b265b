import { strangerAt } from "#audit/actor.ts";
import { AppError } from "#errors.ts";
import { PASSWORD_MAX_CHARACTERS, type Account } from "./account.ts";
import type { AuthOptions, LibraryCalls } from "./auth-library.ts";
import { callerHeaders, type Caller } from "./caller.ts";
import { createKnownBrowsers, type Cookies } from "./known-browser.ts";
import { accountOf, isSuspended, type LibraryUser } from "./library-user.ts";
import type { SignInMethod } from "./sign-in-event.ts";
import { findPasswordHash } from "./store/accounts.ts";
import { createVerificationLinks } from "./verification-link.ts";

/** A session that was opened, and the cookies to set for it, as `Set-Cookie` lines. */
export interface Signed {
  readonly account: Account;
  readonly sessionId: string;
  readonly cookies: readonly string[];
}

/** Who is signed in, in which session, and since when, in milliseconds since the epoch. */
export interface SignedIn {
  readonly account: Account;
  readonly sessionId: string;
  readonly openedAt: number;
}

/** A session, if there is one, and the cookies to set for it. */
export interface KnownSession {
  readonly account: Account | null;
  readonly cookies: readonly string[];
}

/** Sign-in by e-mail and password. `headers` are made by `callerHeaders`. */
export type Auth = ReturnType<typeof createAuth>;

/** Loads what nobody needs who only sends: a tenth of a second, and 30 MB that a server without a console open does without. */
const loadLibrary = () => import("./auth-library.ts");

/** Runs a call of the library and puts its refusals into our words. */
type Ask = <T>(call: (api: LibraryCalls) => Promise<T>) => Promise<T>;

function asking(options: AuthOptions): Ask {
  let loaded: Promise<Ask> | null = null;
  const load = async (): Promise<Ask> => {
    const { createLibrary, translated } = await loadLibrary();
    const { api } = createLibrary(options);
    return (call) => translated(() => call(api));
  };
  return async (call) => (await (loaded ??= load()))(call);
}

/** Returns what is stored of a password: scrypt with a salt, computed off the event loop. */
export async function hashPassword(password: string): Promise<string> {
  return (await loadLibrary()).hashPassword(password);
}

/**
 * Returns sign-in on migrated tables. The check for foreign pages and the limits are those of `routes.ts`.
 */
export function createAuth(options: AuthOptions & { readonly cookies: Cookies }) {
  const ask = asking(options);
  const { context, secret, baseUrl, cookies } = options;
  const isSecure = baseUrl.startsWith("https://");
  const browsers = createKnownBrowsers({ secret, now: context.now, isSecure, cookies });
  const knownCookie = async (caller: Caller, accountId: string) =>
    browsers.cookieFor(caller, {
      accountId,
      passwordHash: await findPasswordHash(context, accountId),
    });
  return {
    ...sessionCalls(ask, knownCookie),
    browsers,
    /** Returns the cookie by which a browser, whose person proved to be the account's, is known to it. */
    knownCookie,
    ...passwordCalls(ask),
    ...createVerificationLinks(context, secret),

    /** Returns whether this is the account's password; false where it has none, after the same time. */
    async isPassword(accountId: string, password: string): Promise<boolean> {
      const hash = await findPasswordHash(context, accountId);
      if (password.length > PASSWORD_MAX_CHARACTERS) return false;
      if (hash !== null) return (await loadLibrary()).verifyPassword({ hash, password });
      await hashPassword(password);
      return false;
    },
  };
}

type KnownCookie = (caller: Caller, accountId: string) => Promise<string>;

function sessionCalls(ask: Ask, knownCookie: KnownCookie) {
  return {
    /**
     * Opens a session for an account that proved who it is, or that another browser vouches for; by a proof the browser is known
     * to it from then on. Throws `unauthenticated` where it is gone, and
     * `account_suspended`.
     */
    async openSession(
      accountId: string,
      { method, caller }: { readonly method: SignInMethod; readonly caller: Caller },
    ): Promise<Signed> {
      const body = { accountId, entrance: { method, from: strangerAt(caller) } };
      const headers = callerHeaders(caller);
      const answer = await ask((api) => api.openSession({ body, headers, returnHeaders: true }));
      // The plugin below answers the library's user, whose own columns its types do not know.
      const opened = answer.response as { user: LibraryUser; sessionId: string } | null;
      if (opened === null) throw new AppError("unauthenticated", "This account no longer exists.");
      const { user, sessionId } = opened;
      if (isSuspended(user)) throw new AppError("account_suspended", SUSPENDED);
      const cookies = answer.headers.getSetCookie();
      if (method !== "pairing") cookies.push(await knownCookie(caller, accountId));
      return { account: accountOf(user), sessionId, cookies };
    },

    /** Ends the session, if there is one; returns the cookies that forget it. */
    async signOut(headers: Headers): Promise<readonly string[]> {
      const answer = await ask((api) => api.signOut({ headers, returnHeaders: true }));
      return answer.headers.getSetCookie();
    },

    /** Returns whose session it is, and prolongs nothing: the cookie would not know. */
    async findSession(headers: Headers): Promise<SignedIn | null> {
      const query = { disableRefresh: true };
      const found = await ask((api) => api.getSession({ headers, query }));
      if (found === null || isSuspended(found.user)) return null;
      const { id: sessionId, createdAt } = found.session;
      return { account: accountOf(found.user), sessionId, openedAt: createdAt.getTime() };
    },

    /** Returns whose session it is, with the cookies that prolong it once a day or forget it. */
    async prolongSession(headers: Headers): Promise<KnownSession> {
      const answer = await ask((api) => api.getSession({ headers, returnHeaders: true }));
      const user = answer.response?.user;
      const account = user === undefined || isSuspended(user) ? null : accountOf(user);
      return { account, cookies: answer.headers.getSetCookie() };
    },
  };
}

function passwordCalls(ask: Ask) {
  return {
    /** Mails a link for a new password, where the address has an account. */
    async requestPasswordReset(email: string): Promise<void> {
      await ask((api) => api.requestPasswordReset({ body: { email } }));
    },
  };
}

const SUSPENDED = "This account is suspended. Ask the administrator of this server.";
