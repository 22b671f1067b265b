import { createUnknownActor } from "#audit/actor.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { newToken } from "#token.ts";
import { PASSWORD_MAX_CHARACTERS, type Account } from "./account.ts";
import type { Caller } from "./caller.ts";
import { createKnownBrowsers, type Cookies } from "./known-browser.ts";
import { hashPassword, verifyPassword } from "./passwords/hash.ts";
import { createSessionCookie, SESSION_TTL_MS, type SessionCookie } from "./sessions/cookie.ts";
import {
  findSessionOwner,
  findSession,
  insertSession,
  extendSession,
} from "./sessions/store/open-sessions.ts";
import type { SealFor } from "./seal.ts";
import type { SignInMethod } from "./sign-in-event.ts";
import { findPasswordHash } from "./store/accounts.ts";
import { createVerificationLinks } from "./verification-link.ts";

/** A newly opened session, and its `Set-Cookie` lines. */
export interface SessionWithCookies {
  readonly account: Account;
  readonly sessionId: string;
  readonly cookies: readonly string[];
}

/** The signed-in account and its session. */
export interface CurrentSession {
  readonly account: Account;
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
}

/** The account of a session, null if there is none, and the `Set-Cookie` lines to send. */
export interface ExtendedSession {
  readonly account: Account | null;
  readonly cookies: readonly string[];
}

/** The dependencies of sessions, passwords and known browsers. */
export interface AuthDeps {
  readonly context: Context;
  readonly baseUrl: string;
  /** The session secret: signs cookies. */
  readonly secret: string;
  readonly sealFor: SealFor;
  /** Returns whether every process on the database can find a session by the hash of its token. */
  readonly mayHashTokens: () => Promise<boolean>;
  readonly cookies: Cookies;
}

/** Sessions, passwords and known browsers. */
export type Auth = ReturnType<typeof createAuth>;

/** A session in use is extended once a day. */
const EXTENSION_INTERVAL_MS = 24 * 3_600_000;
const USER_AGENT_MAX_CHARACTERS = 255;

/** Creates the sign-in functions. `routes.ts` refuses requests from other sites and limits the attempts. */
export function createAuth(deps: AuthDeps) {
  const { context, baseUrl, secret, cookies } = deps;
  const isSecure = baseUrl.startsWith("https://");
  const knownBrowsers = createKnownBrowsers({ secret, now: context.now, isSecure, cookies });
  const createKnownBrowserCookie = async (caller: Caller, accountId: string) =>
    knownBrowsers.createCookie(caller, {
      accountId,
      passwordHash: await findPasswordHash(context, accountId),
    });
  const sessionCookie = createSessionCookie({ secret, baseUrl, cookies });
  return {
    openSession: createSessionOpener({
      ...deps,
      sessionCookie,
      createKnownBrowserCookie,
    }),
    ...createSessionReaders(context, sessionCookie),
    knownBrowsers,
    /** Returns the cookie that makes a browser known to the account, after a successful sign-in. */
    createKnownBrowserCookie,
    ...createVerificationLinks(context, deps.sealFor("verification-link")),

    /**
     * Returns whether this is the account's password. Takes the same time for an account without a password. A password
     * above the maximum length is refused without being hashed.
     */
    async isCorrectPassword(accountId: string, password: string): Promise<boolean> {
      const hash = await findPasswordHash(context, accountId);
      if (password.length > PASSWORD_MAX_CHARACTERS) return false;
      if (hash !== null) return verifyPassword(hash, password);
      await hashPassword(password);
      return false;
    },
  };
}

interface SessionOpenerDeps extends Pick<AuthDeps, "context" | "mayHashTokens"> {
  readonly sessionCookie: SessionCookie;
  readonly createKnownBrowserCookie: (caller: Caller, accountId: string) => Promise<string>;
}

function createSessionOpener({
  context,
  sessionCookie,
  createKnownBrowserCookie,
  mayHashTokens,
}: SessionOpenerDeps) {
  /**
   * Opens a session for a person who proved their identity, or whose browser was paired. Proof of identity also makes
   * the browser a known browser of the account. Throws `unauthenticated` if the account no longer exists, and
   * `account_suspended` if it is suspended.
   */
  return async (
    accountId: string,
    { method, caller }: { readonly method: SignInMethod; readonly caller: Caller },
  ): Promise<SessionWithCookies> => {
    const owner = await findSessionOwner(context, accountId);
    if (owner === null) throw new AppError("unauthenticated", "This account no longer exists.");
    // Checked after the proof, so that strangers do not learn that the account is suspended.
    if (owner.isSuspended) throw new AppError("account_suspended", SUSPENDED_MESSAGE);
    const id = context.newId();
    const token = newToken();
    const userAgent = caller.headers["user-agent"]?.slice(0, USER_AGENT_MAX_CHARACTERS) ?? "";
    const createdAt = context.now();
    const endsAt = createdAt + SESSION_TTL_MS;
    await insertSession(context, {
      session: { id, accountId, token, userAgent, createdAt, endsAt },
      proof: { method, actor: createUnknownActor(caller) },
      isHashed: await mayHashTokens(),
    });
    const cookies = [sessionCookie.format(token)];
    if (method !== "pairing") cookies.push(await createKnownBrowserCookie(caller, accountId));
    return { account: owner.account, sessionId: id, cookies };
  };
}

function createSessionReaders(context: Context, sessionCookie: SessionCookie) {
  return {
    /**
     * Returns the account and session of a `Cookie` header. Does not extend the session, because no new cookie is
     * sent.
     */
    async findSession(cookie: string | undefined): Promise<CurrentSession | null> {
      const token = sessionCookie.read(cookie);
      const session = token === null ? null : await findSession(context, token);
      if (session === null) return null;
      const { account, id: sessionId, createdAt: openedAt } = session;
      return { account, sessionId, openedAt };
    },

    /**
     * Returns the account of a `Cookie` header, and the cookies that extend its session once a day or delete its
     * cookie.
     */
    async extendSession(cookie: string | undefined): Promise<ExtendedSession> {
      const token = sessionCookie.read(cookie);
      if (token === null) return { account: null, cookies: [] };
      const session = await findSession(context, token);
      const endedSession = { account: null, cookies: [sessionCookie.formatDeletion()] };
      if (session === null) return endedSession;
      const endsAt = context.now() + SESSION_TTL_MS;
      const { id, account } = session;
      if (endsAt - session.endsAt < EXTENSION_INTERVAL_MS) return { account, cookies: [] };
      if (!(await extendSession(context, { id, endsAt }))) return endedSession;
      return { account, cookies: [sessionCookie.format(token)] };
    },

    /** Returns the `Set-Cookie` line that deletes the session cookie. */
    formatDeletionCookie: () => sessionCookie.formatDeletion(),
  };
}

const SUSPENDED_MESSAGE = "This account is suspended. Ask the administrator of this server.";
