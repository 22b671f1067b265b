import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { createAuthEndpoint, createEmailVerificationToken, isAPIError } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { hashPassword as hashWithLibrary, verifyPassword } from "better-auth/crypto";
import { betterAuth } from "better-auth/minimal";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MailQueue } from "#mail/mail.ts";
import { PASSWORD_MAX_CHARACTERS, PASSWORD_MIN_CHARACTERS, type Account } from "./account.ts";
import { refusalOf } from "./auth-refusals.ts";
import { AUTH_TABLES } from "./auth-tables.ts";
import { ADDRESS_HEADER } from "./caller.ts";
import { accountOf, isSuspended, type LibraryUser } from "./library-user.ts";
import { passwordResetMail } from "./mails.ts";
import { findPasswordHash, recordPasswordReset, type ForeignStatement } from "./store.ts";

/** What sign-in is made of. */
export interface AuthOptions {
  readonly context: Context;
  readonly baseUrl: string;
  /** Signs cookies and links, see `loadOrCreateSecret`. */
  readonly secret: string;
  readonly mail: MailQueue;
  readonly takeBack: TakeBack;
}

/**
 * What ends when an owner takes back an account that a stranger may have made with the owner's address: its
 * devices and keys; their rooms provide it.
 */
export interface TakeBack {
  readonly statements: (accountId: string) => readonly ForeignStatement[];
  /** Told after the statements were committed. */
  readonly committed: (accountId: string) => void;
}

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

const SESSION_LIFE_S = 30 * 24 * 3_600;
/** A session in use is prolonged once a day. */
const SESSION_PROLONG_S = 24 * 3_600;
const RESET_LIFE_S = 3_600;
const VERIFICATION_LIFE_S = 3 * 24 * 3_600;

/** Returns what is stored of a password: scrypt with a salt, computed off the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hashWithLibrary(password);
}

/**
 * Returns sign-in on migrated tables. The library is called in process, operation by operation, and has no
 * routes: the check for foreign pages and the limits are those of `routes.ts`. It reads the time itself.
 */
export function createAuth(options: AuthOptions) {
  const { api } = createLibrary(options);
  return {
    ...sessionCalls(api),
    ...passwordCalls(api),

    /** Returns whether this is the account's password; false where it has none, after the same time. */
    async isPassword(accountId: string, password: string): Promise<boolean> {
      const hash = await findPasswordHash(options.context, accountId);
      if (password.length > PASSWORD_MAX_CHARACTERS) return false;
      if (hash !== null) return verifyPassword({ hash, password });
      await hashWithLibrary(password);
      return false;
    },

    /** Returns the token for a link that verifies `email`: signed, good for three days, not stored. */
    newVerificationToken: (email: string): Promise<string> =>
      createEmailVerificationToken(options.secret, email, undefined, VERIFICATION_LIFE_S),

    /** Marks the address in such a token as verified; repeating it is safe. Throws `expired`. */
    async verifyEmail(token: string): Promise<void> {
      await translated(() => api.verifyEmail({ query: { token } }));
    },
  };
}

type Api = ReturnType<typeof createLibrary>["api"];

function sessionCalls(api: Api) {
  return {
    /**
     * Opens a session for an account that proved who it is. Throws `unauthenticated` where it is gone, and
     * `account_suspended`.
     */
    async openSession(accountId: string, headers: Headers): Promise<Signed> {
      const body = { accountId };
      const answer = await translated(() =>
        api.openSession({ body, headers, returnHeaders: true }),
      );
      // The plugin below answers the library's user, whose own columns its types do not know.
      const opened = answer.response as { user: LibraryUser; sessionId: string } | null;
      if (opened === null) throw new AppError("unauthenticated", "This account is gone.");
      const { user, sessionId } = opened;
      if (isSuspended(user)) throw new AppError("account_suspended", SUSPENDED);
      return { account: accountOf(user), sessionId, cookies: answer.headers.getSetCookie() };
    },

    /** Ends the session, if there is one; returns the cookies that forget it. */
    async signOut(headers: Headers): Promise<readonly string[]> {
      const answer = await translated(() => api.signOut({ headers, returnHeaders: true }));
      return answer.headers.getSetCookie();
    },

    /** Returns whose session it is, and prolongs nothing: the cookie would not know. */
    async findSession(headers: Headers): Promise<SignedIn | null> {
      const query = { disableRefresh: true };
      const found = await translated(() => api.getSession({ headers, query }));
      if (found === null || isSuspended(found.user)) return null;
      const { id: sessionId, createdAt } = found.session;
      return { account: accountOf(found.user), sessionId, openedAt: createdAt.getTime() };
    },

    /** Returns whose session it is, with the cookies that prolong it once a day or forget it. */
    async prolongSession(headers: Headers): Promise<KnownSession> {
      const answer = await translated(() => api.getSession({ headers, returnHeaders: true }));
      const user = answer.response?.user;
      const account = user === undefined || isSuspended(user) ? null : accountOf(user);
      return { account, cookies: answer.headers.getSetCookie() };
    },
  };
}

function passwordCalls(api: Api) {
  return {
    /** Mails a link for a new password, where the address has an account. */
    async requestPasswordReset(email: string): Promise<void> {
      await translated(() => api.requestPasswordReset({ body: { email } }));
    },

    /** Sets a new password by the token of such a link and ends all sessions; throws `expired`. */
    async resetPassword(body: { token: string; newPassword: string }): Promise<void> {
      await translated(() => api.resetPassword({ body }));
    },

    /** Sets a new password and puts one session in the place of all others; throws `invalid_field`. */
    async changePassword(
      passwords: { currentPassword: string; newPassword: string },
      headers: Headers,
    ): Promise<readonly string[]> {
      const body = { ...passwords, revokeOtherSessions: true };
      const answer = await translated(() =>
        api.changePassword({ body, headers, returnHeaders: true }),
      );
      return answer.headers.getSetCookie();
    },
  };
}

function createLibrary(options: AuthOptions) {
  const { context, baseUrl, secret, mail } = options;
  const { database, newId, log } = context;
  return betterAuth({
    appName: "Tocsin",
    baseURL: new URL(baseUrl).origin,
    basePath: "/api/auth",
    secret,
    database: kyselyAdapter(database.db, { type: database.engine.name, transaction: true }),
    ...AUTH_TABLES,
    session: {
      ...AUTH_TABLES.session,
      expiresIn: SESSION_LIFE_S,
      updateAge: SESSION_PROLONG_S,
      cookieCache: { enabled: false },
    },
    emailAndPassword: {
      enabled: true,
      // Accounts are made by `sign-up.ts`, which knows who may have one.
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN_CHARACTERS,
      maxPasswordLength: PASSWORD_MAX_CHARACTERS,
      resetPasswordTokenExpiresIn: RESET_LIFE_S,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user: { email }, token }) =>
        mail.enqueue(passwordResetMail(baseUrl, { email, token })),
      onPasswordReset: ({ user }) => takenBack(options, user),
    },
    advanced: {
      ...cookieOptions(baseUrl.startsWith("https://")),
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: () => newId() },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    plugins: [SESSION_OPENER],
    // Its warnings are sign-in attempts that failed, with addresses in them.
    logger: {
      level: "error",
      log: (_level, message, ...details: unknown[]) => {
        const err = [message, ...details].find((detail) => detail instanceof Error);
        log.error({ err }, "the sign-in library failed");
      },
    },
  });
}

/** `__Host-` binds a cookie to this host and to https (RFC 6265bis section 4.1.3.2). */
function cookieOptions(isSecure: boolean) {
  const name = isSecure ? "__Host-tocsin_session" : "tocsin_session";
  return {
    // The library's own prefix, `__Secure-`, promises less.
    useSecureCookies: false,
    cookiePrefix: "tocsin",
    cookies: { session_token: { name } },
    defaultCookieAttributes: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  } as const;
}

interface Opening {
  readonly accountId: string;
}

/** The library wants a schema (standardschema.dev); the caller is `openSession` alone. */
const OPENING = {
  method: "POST",
  body: {
    "~standard": {
      version: 1,
      vendor: "tocsin",
      validate: (value: unknown) => ({ value: value as Opening }),
      // Nothing reads it but the compiler.
      types: {} as { readonly input: Opening; readonly output: Opening },
    },
  },
} as const;

/** Opens sessions for those whom other ways than the library's own have signed in. */
const SESSION_OPENER = {
  id: "session-opener",
  endpoints: {
    openSession: createAuthEndpoint.serverOnly(OPENING, async (call) => {
      const { internalAdapter } = call.context;
      const { accountId } = call.body;
      const user = await internalAdapter.findUserById(accountId);
      if (user === null) return null;
      // Told to who proved to be its owner, after this.
      if (isSuspended(user)) return { user, sessionId: "" };
      const session = await internalAdapter.createSession(accountId);
      await setSessionCookie(call, { session, user });
      return { user, sessionId: session.id };
    }),
  },
} as const;

const SUSPENDED = "This account is suspended. Ask the administrator of this server.";

/** Runs a call of the library and puts its refusals into our words. */
async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isAPIError(error)) throw error;
    const refusal = refusalOf(error.body?.code ?? "");
    throw refusal ?? new Error("The sign-in library refused.", { cause: error });
  }
}

/** Until its address was verified, an account may have been made by somebody who does not own the address. */
async function takenBack(
  { context, takeBack }: AuthOptions,
  { id: accountId, emailVerified }: { readonly id: string; readonly emailVerified: boolean },
): Promise<void> {
  const alongside = emailVerified ? [] : takeBack.statements(accountId);
  await recordPasswordReset(context, { accountId, isTakenBack: !emailVerified, alongside });
  if (!emailVerified) takeBack.committed(accountId);
}
