import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { createAuthEndpoint, isAPIError } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { betterAuth } from "better-auth/minimal";
import type { Context } from "#context.ts";
import type { MailQueue } from "#mail/mail.ts";
import { newToken } from "#token.ts";
import { cookieName } from "#cookie-name.ts";
import { PASSWORD_MAX_CHARACTERS, PASSWORD_MIN_CHARACTERS } from "./account.ts";
import { refusalOf } from "./auth-refusals.ts";
import { AUTH_TABLES } from "./auth-tables.ts";
import { ADDRESS_HEADER } from "./caller.ts";
import { isSuspended } from "./library-user.ts";
import { passwordResetMail } from "./mails.ts";
import { insertSession } from "./sessions/store.ts";
import type { Entrance } from "./sign-in-event.ts";
import { findAccount } from "./store/accounts.ts";

export { hashPassword, verifyPassword } from "better-auth/crypto";

/** What sign-in is made of. */
export interface AuthOptions {
  readonly context: Context;
  readonly baseUrl: string;
  /** The session secret: signs cookies and links. */
  readonly secret: string;
  readonly mail: MailQueue;
}

/** What the library can be asked for. */
export type LibraryCalls = ReturnType<typeof createLibrary>["api"];

const SESSION_LIFE_S = 30 * 24 * 3_600;
/** A session in use is prolonged once a day. */
const SESSION_PROLONG_S = 24 * 3_600;
const RESET_LIFE_S = 3_600;

/**
 * Returns the sign-in library on migrated tables. It is called in process, operation by operation, and has no routes; it reads the
 * time itself.
 */
export function createLibrary(options: AuthOptions) {
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
      // The link is used up by `passwords/reset.ts`.
      resetPasswordTokenExpiresIn: RESET_LIFE_S,
      async sendResetPassword({ user: { id, email }, token }) {
        // The link is stored by now. Where the address was changed since it was looked at, that did not end it.
        if ((await findAccount(context, id))?.email !== email) return;
        await mail.enqueue(passwordResetMail(baseUrl, { email, token }));
      },
    },
    advanced: {
      ...cookieOptions(baseUrl),
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: () => newId() },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    plugins: [sessionOpener(context)],
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

function cookieOptions(baseUrl: string) {
  const name = cookieName("session", baseUrl);
  const isSecure = baseUrl.startsWith("https://");
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
  readonly entrance: Entrance;
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

/**
 * Opens sessions for those whom other ways than the library's own have signed in. The row is ours, so that the audit log
 * tells of it in the same commit; its moments are by the machine's clock, as the library judges them by it.
 */
function sessionOpener(context: Context) {
  return {
    id: "session-opener",
    endpoints: {
      openSession: createAuthEndpoint.serverOnly(OPENING, async (call) => {
        const { internalAdapter } = call.context;
        const { accountId, entrance } = call.body;
        const user = await internalAdapter.findUserById(accountId);
        if (user === null) return null;
        // Told to who proved to be its owner, after this.
        if (isSuspended(user)) return { user, sessionId: "" };
        const session = newSession(context, { accountId, headers: call.headers });
        await insertSession(context, { session: rowOf(session), entrance });
        await setSessionCookie(call, { session, user });
        return { user, sessionId: session.id };
      }),
    },
  } as const;
}

function newSession(
  { newId }: Context,
  { accountId, headers }: { readonly accountId: string; readonly headers: Headers | undefined },
) {
  const createdAt = new Date();
  return {
    id: newId(),
    userId: accountId,
    token: newToken(),
    // The audit log has the address, for as long as it may be kept: a session that is used lasts longer.
    ipAddress: null,
    userAgent: headers?.get("user-agent") ?? "",
    expiresAt: new Date(createdAt.getTime() + SESSION_LIFE_S * 1_000),
    createdAt,
    updatedAt: createdAt,
  };
}

function rowOf(session: ReturnType<typeof newSession>) {
  return {
    id: session.id,
    account_id: session.userId,
    token: session.token,
    ip_address: null,
    user_agent: session.userAgent,
    expires_at: session.expiresAt.toISOString(),
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  };
}

/** Runs a call of the library and puts its refusals into our words. */
export async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isAPIError(error)) throw error;
    const refusal = refusalOf(error.body?.code ?? "");
    throw refusal ?? new Error("The sign-in library refused.", { cause: error });
  }
}
