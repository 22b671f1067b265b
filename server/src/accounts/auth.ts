import { strangerAt } from "#audit/actor.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { newToken } from "#token.ts";
import { PASSWORD_MAX_CHARACTERS, type Account } from "./account.ts";
import type { Caller } from "./caller.ts";
import { createKnownBrowsers, type Cookies } from "./known-browser.ts";
import { hashPassword, verifyPassword } from "./passwords/hash.ts";
import { createSessionCookie, SESSION_LIFE_MS, type SessionCookie } from "./sessions/cookie.ts";
import {
  findOpener,
  findSession,
  insertSession,
  prolongSession,
} from "./sessions/store/open-sessions.ts";
import type { SealFor } from "./seal.ts";
import type { SignInMethod } from "./sign-in-event.ts";
import { findPasswordHash } from "./store/accounts.ts";
import { createVerificationLinks } from "./verification-link.ts";

/** A session that was opened, and the cookies to set for it, as `Set-Cookie` lines. */
export interface Signed {
  readonly account: Account;
  readonly sessionId: string;
  readonly cookies: readonly string[];
}

/** The account that is signed in, its session, and since when, in milliseconds since the epoch. */
export interface SignedIn {
  readonly account: Account;
  readonly sessionId: string;
  readonly openedAt: number;
}

/** The account of a session, if there is one, and the cookies to set for it. */
export interface KnownSession {
  readonly account: Account | null;
  readonly cookies: readonly string[];
}

export interface AuthDeps {
  readonly context: Context;
  readonly baseUrl: string;
  /** The session secret: signs cookies. */
  readonly secret: string;
  readonly sealFor: SealFor;
  /** Returns whether every process on the database finds a session by the hash of its token. */
  readonly mayHashTokens: () => Promise<boolean>;
  readonly cookies: Cookies;
}

/** Sessions, passwords and known browsers. */
export type Auth = ReturnType<typeof createAuth>;

/** A session in use is prolonged once a day. */
const PROLONG_MS = 24 * 3_600_000;
const USER_AGENT_MAX_CHARACTERS = 255;

/** Returns sign-in on migrated tables; `routes.ts` refuses pages of other sites and limits how often it is tried. */
export function createAuth(deps: AuthDeps) {
  const { context, baseUrl, secret, cookies } = deps;
  const isSecure = baseUrl.startsWith("https://");
  const browsers = createKnownBrowsers({ secret, now: context.now, isSecure, cookies });
  const knownCookie = async (caller: Caller, accountId: string) =>
    browsers.cookieFor(caller, {
      accountId,
      passwordHash: await findPasswordHash(context, accountId),
    });
  const sessionCookie = createSessionCookie({ secret, baseUrl, cookies });
  return {
    openSession: createOpening({ ...deps, sessionCookie, knownCookie }),
    ...findingCalls(context, sessionCookie),
    browsers,
    /** Returns the cookie by which a browser, whose person proved to be the account's, is known to it. */
    knownCookie,
    ...createVerificationLinks(context, deps.sealFor("verification-link")),

    /** Returns whether this is the account's password; false where it has none, after the same time. */
    async isPassword(accountId: string, password: string): Promise<boolean> {
      const hash = await findPasswordHash(context, accountId);
      if (password.length > PASSWORD_MAX_CHARACTERS) return false;
      if (hash !== null) return verifyPassword(hash, password);
      await hashPassword(password);
      return false;
    },
  };
}

interface OpeningDeps extends Pick<AuthDeps, "context" | "mayHashTokens"> {
  readonly sessionCookie: SessionCookie;
  readonly knownCookie: (caller: Caller, accountId: string) => Promise<string>;
}

function createOpening({ context, sessionCookie, knownCookie, mayHashTokens }: OpeningDeps) {
  /**
   * Opens a session for an account that proved its identity, or that another browser vouches for; by a proof the browser is known
   * to it from then on. Throws `unauthenticated` where the account is gone, and `account_suspended`.
   */
  return async (
    accountId: string,
    { method, caller }: { readonly method: SignInMethod; readonly caller: Caller },
  ): Promise<Signed> => {
    const opener = await findOpener(context, accountId);
    if (opener === null) throw new AppError("unauthenticated", "This account no longer exists.");
    // After the proof, so that strangers do not learn it.
    if (opener.isSuspended) throw new AppError("account_suspended", SUSPENDED);
    const [id, token, createdAt] = [context.newId(), newToken(), context.now()];
    const userAgent = caller.headers["user-agent"]?.slice(0, USER_AGENT_MAX_CHARACTERS) ?? "";
    const endsAt = createdAt + SESSION_LIFE_MS;
    await insertSession(context, {
      session: { id, accountId, token, userAgent, createdAt, endsAt },
      entrance: { method, from: strangerAt(caller) },
      isHashed: await mayHashTokens(),
    });
    const cookies = [sessionCookie.line(token)];
    if (method !== "pairing") cookies.push(await knownCookie(caller, accountId));
    return { account: opener.account, sessionId: id, cookies };
  };
}

function findingCalls(context: Context, sessionCookie: SessionCookie) {
  return {
    /** Returns the account and session of a `Cookie` header, and prolongs nothing: the cookie would not know. */
    async findSession(cookie: string | undefined): Promise<SignedIn | null> {
      const token = sessionCookie.read(cookie);
      const session = token === null ? null : await findSession(context, token);
      if (session === null) return null;
      const { account, id: sessionId, createdAt: openedAt } = session;
      return { account, sessionId, openedAt };
    },

    /** Returns the account of a `Cookie` header, with the cookies that prolong its session once a day or forget it. */
    async prolongSession(cookie: string | undefined): Promise<KnownSession> {
      const token = sessionCookie.read(cookie);
      if (token === null) return { account: null, cookies: [] };
      const session = await findSession(context, token);
      const over = { account: null, cookies: [sessionCookie.ended()] };
      if (session === null) return over;
      const endsAt = context.now() + SESSION_LIFE_MS;
      const { id, account } = session;
      if (endsAt - session.endsAt < PROLONG_MS) return { account, cookies: [] };
      if (!(await prolongSession(context, { id, endsAt }))) return over;
      return { account, cookies: [sessionCookie.line(token)] };
    },

    /** Returns the `Set-Cookie` line with which a browser forgets its session. */
    endedCookie: () => sessionCookie.ended(),
  };
}

const SUSPENDED = "This account is suspended. Ask the administrator of this server.";
