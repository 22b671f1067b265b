import { NewPassword } from "../response.ts";
import { setTimeout as wait } from "node:timers/promises";
import { Type } from "#schema/json-schema.ts";
import { createUnknownActor } from "#audit/actor.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate, Guard } from "#http/authenticate.ts";
import { EmailAddress } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import type { MailQueue } from "#mail/mail.ts";
import { resetBySharedLink } from "../other-accounts/reset-link.ts";
import { parseEmail, parsePassword } from "../account.ts";
import type { Auth } from "../auth.ts";
import { findGuessKeys } from "../confirmation.ts";
import { countGuess, type GuessLimits } from "../guesses.ts";
import { createAttemptLimit, toNetwork } from "../attempt-limit.ts";
import { createPasswordChangedMail } from "../mails.ts";
import { openSessionByPassword } from "../sign-in.ts";
import { changeOwnPassword } from "./change-own-password.ts";
import { requestPasswordReset } from "./request-reset.ts";
import { resetByMailedLink, type AccountReclaimSteps } from "./reset.ts";

interface PasswordRouteDeps {
  readonly context: Context;
  readonly auth: Auth;
  readonly authenticate: Authenticate;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  readonly reclaim: AccountReclaimSteps;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
  /** The limits of wrong passwords. */
  readonly passwordGuesses: GuessLimits;
}

/** Limits reset requests per network. */
const RESET_RATE = { name: "password reset", burst: 20, perHour: 120 };
/** Limits reset emails per address, so that strangers cannot flood a mailbox. */
const RESET_MAIL_RATE = { name: "mail of a password reset", burst: 3, perHour: 6 };
/** Minimum response time, so that the time does not reveal whether the address has an account. */
const RESET_RESPONSE_MIN_MS = 250;

/** Registers the routes that reset and change passwords. */
export function registerPasswordRoutes(
  server: Server,
  deps: PasswordRouteDeps,
  guard: Guard,
): void {
  registerResetRequest(server, deps, guard);
  registerReset(server, deps, guard);
  registerPasswordChange(server, deps, guard);
}

function registerResetRequest(server: Server, deps: PasswordRouteDeps, onRequest: Guard): void {
  const networkLimit = createAttemptLimit(deps.context, RESET_RATE);
  const addressLimit = createAttemptLimit(deps.context, RESET_MAIL_RATE);
  const schema = {
    operationId: "requestPasswordReset",
    errorStatuses: [429],
    tags: ["Sign-in"],
    summary: "Send a password reset link by email, if the address has an account",
    body: Type.Object({ email: EmailAddress }),
    response: { 200: DoneResponse },
  };
  server.post("/api/auth/request-password-reset", { schema, onRequest }, async ({ body, ip }) => {
    await networkLimit.take(toNetwork(ip));
    const email = parseEmail(body.email);
    await addressLimit.take(email);
    await Promise.all([requestPasswordReset(deps, email), wait(RESET_RESPONSE_MIN_MS)]);
    return SUCCESS;
  });
}

function registerReset(server: Server, deps: PasswordRouteDeps, onRequest: Guard): void {
  const schema = {
    operationId: "resetPassword",
    tags: ["Sign-in"],
    summary:
      "Set a new password with the token of an emailed link; ends all sessions and access tokens",
    body: Type.Object({ token: Type.String(), newPassword: NewPassword }),
    response: { 200: DoneResponse },
  };
  server.post("/api/auth/reset-password", { schema, onRequest }, async (request, reply) => {
    const { body } = request;
    const reset = {
      actor: createUnknownActor(request),
      token: body.token,
      newPassword: parsePassword("newPassword", body.newPassword),
    };
    const sharedLinkAccountId = await resetBySharedLink(deps, reset);
    const accountId = sharedLinkAccountId ?? (await resetByMailedLink(deps, reset));
    // Concurrent guesses by strangers must not prevent the owner from signing in with the new password.
    const cookie = await deps.auth.createKnownBrowserCookie(request, accountId);
    return reply.header("set-cookie", cookie).send(SUCCESS);
  });
}

function registerPasswordChange(server: Server, deps: PasswordRouteDeps, onRequest: Guard): void {
  const { context, auth, mail, baseUrl, passwordGuesses } = deps;
  const schema = {
    operationId: "changePassword",
    errorStatuses: [429],
    security: [{ session: [] }],
    tags: ["Sign-in"],
    summary: "Change my password; ends all other sessions, and sends a notice by email",
    body: Type.Object({ currentPassword: Type.String(), newPassword: NewPassword }),
    response: { 200: DoneResponse },
  };
  server.post("/api/auth/change-password", { schema, onRequest }, async (request, reply) => {
    const { accountId, email, session, actor } = await deps.authenticate(request);
    if (session === null) throw new AppError("unauthenticated", "Sign in first.");
    const { currentPassword } = request.body;
    const newPassword = parsePassword("newPassword", request.body.newPassword);
    const guessKeys = await findGuessKeys(context, { accountId, session });
    const notice = createPasswordChangedMail(baseUrl, email);
    const passwordHash = await countGuess(passwordGuesses, guessKeys, () =>
      changeOwnPassword(deps, { accountId, currentPassword, newPassword, actor, notice }),
    );
    deps.onSignedOut(accountId);
    mail.wake();
    const proof = { method: "new_password", caller: request } as const;
    const openSession = () => auth.openSession(accountId, proof);
    const { cookies } = await openSessionByPassword(context, {
      accountId,
      passwordHash,
      openSession,
    });
    return reply.header("set-cookie", [...cookies]).send(SUCCESS);
  });
}

const DoneResponse = Type.Object({ success: Type.Boolean() });
const SUCCESS = { success: true };
