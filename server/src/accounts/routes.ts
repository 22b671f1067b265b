import type { FastifyReply, FastifyRequest } from "fastify";
import { createActor, createUnknownActor } from "#audit/actor.ts";
import { Type } from "#schema/json-schema.ts";
import { refuseForeignPage, type Authenticate, type Guard } from "#http/authenticate.ts";
import { EmailAddress, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import {
  registerAccountAdministration,
  type AccountAdministrationDeps,
} from "./other-accounts/routes.ts";
import { registerOwnAudit } from "./audit/routes.ts";
import { registerAccessTokenRoutes } from "./access-tokens/routes.ts";
import { NAME_MAX_CHARACTERS, parseEmail } from "./account.ts";
import { AccountResponse, toAccountResponse, NewPassword, SignInResponse } from "./response.ts";
import type { Auth } from "./auth.ts";
import type { AccountDeletionSteps } from "./deletion/delete-account.ts";
import { registerDeletionRoute } from "./deletion/routes.ts";
import { registerExportRoute, type OtherSections } from "./export/routes.ts";
import {
  createFailedSignInLog,
  recordIfItFails,
  type FailedSignInLog,
} from "./failed-sign-in-log.ts";
import { createCodeGuessLimits, createPasswordGuessLimits } from "./guesses.ts";
import { createAttemptLimit, type AttemptLimit, toNetwork } from "./attempt-limit.ts";
import { registerSignUpInvitationRoutes } from "./invitations/routes.ts";
import type { IdentityProvider } from "./oidc/identity-provider.ts";
import { registerOidcRoutes } from "./oidc/routes.ts";
import { registerPairingRoutes } from "./pairings/routes.ts";
import { registerPasskeyRoutes } from "./passkeys/routes.ts";
import type { AccountReclaimSteps } from "./passwords/reset.ts";
import { registerPasswordRoutes } from "./passwords/routes.ts";
import { registerProfileRoutes } from "./profile/routes.ts";
import type { SealFor } from "./seal.ts";
import { registerSessionRoutes } from "./sessions/routes.ts";
import { endSession } from "./sessions/store/own-sessions.ts";
import { openSessionByPassword, verifyFirstFactor, type FirstFactorDeps } from "./sign-in.ts";
import { signUp, type SignUpDeps } from "./sign-up.ts";
import { findAccountByEmail } from "./store/accounts.ts";
import { registerTwoFactorRoutes } from "./two-factor/routes.ts";

/** The dependencies of this room's routes. */
export interface AccountRouteDeps extends SignUpDeps, AccountAdministrationDeps {
  readonly reclaim: AccountReclaimSteps;
  readonly auth: Auth;
  readonly authenticate: Authenticate;
  /** The session secret, from which pairings derive the key of their hashed codes. */
  readonly secret: string;
  readonly sealFor: SealFor;
  /** Limits wrong codes of pairings per network. */
  readonly wrongCodeLimit: AttemptLimit;
  readonly deletionSteps: AccountDeletionSteps;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  /** Null if no identity provider is configured. */
  readonly identityProvider: IdentityProvider | null;
  /** The sections that other rooms add to the export of an account. */
  readonly otherSections: OtherSections;
}

/** Limits failed attempts per network. */
const FAILURE_RATE = { name: "failed sign-in", burst: 10, perHour: 600 };
const SIGN_UP_RATE = { name: "sign-up", burst: 60, perHour: 1_200 };

/**
 * Registers the operations of this room: sign-up, sign-in, the caller's account, and the administration of accounts.
 */
export function registerAccountRoutes(server: Server, deps: AccountRouteDeps): void {
  const origin = new URL(deps.baseUrl).origin;
  const guard = async (request: FastifyRequest) => refuseForeignPage(request, origin);
  const { context } = deps;
  const failureLimit = createAttemptLimit(context, FAILURE_RATE);
  const failedSignIns = createFailedSignInLog(context);
  const confirmDeps = {
    ...deps,
    passwordGuesses: createPasswordGuessLimits(context, failureLimit),
  };
  registerSignUp(server, deps, guard);
  registerSignIn(server, confirmDeps, { guard, failedSignIns });
  registerSession(server, deps, guard);
  registerVerification(server, deps, guard);
  registerMe(server, deps);
  registerPasswordRoutes(server, confirmDeps, guard);
  registerProfileRoutes(server, confirmDeps, guard);
  registerSessionRoutes(server, deps);
  registerPairingRoutes(server, { ...deps, failedSignIns }, guard);
  const seal = deps.sealFor("two-factor");
  const codeGuesses = createCodeGuessLimits(context, failureLimit);
  registerTwoFactorRoutes(server, { ...confirmDeps, failedSignIns, seal, codeGuesses }, guard);
  const relyingParty = { id: new URL(origin).hostname, origin };
  registerPasskeyRoutes(
    server,
    { ...confirmDeps, failedSignIns, relyingParty },
    { guard, failureLimit },
  );
  const oidc = { ...deps, failedSignIns, provider: deps.identityProvider };
  registerOidcRoutes(server, oidc, { guard, failureLimit });
  registerExportRoute(server, deps);
  registerOwnAudit(server, deps);
  registerDeletionRoute(server, confirmDeps);
  registerAccessTokenRoutes(server, confirmDeps);
  registerAccountAdministration(server, deps);
  registerSignUpInvitationRoutes(server, deps);
}

function registerSignUp(server: Server, deps: AccountRouteDeps, onRequest: Guard): void {
  const limit = createAttemptLimit(deps.context, SIGN_UP_RATE);
  const schema = {
    operationId: "signUp",
    errorStatuses: [401, 409, 429],
    tags: ["Sign-in"],
    summary: "Create an account and sign in; `token` comes from a set-up or invitation link",
    body: Type.Object({
      email: EmailAddress,
      password: NewPassword,
      name: VisibleText(NAME_MAX_CHARACTERS),
      token: Type.Optional(Type.String()),
    }),
    response: { 200: AccountResponse },
  };
  server.post("/api/auth/sign-up/email", { schema, onRequest }, async (request, reply) => {
    await limit.take(toNetwork(request.ip));
    const { email, password, name, token = null } = request.body;
    const actor = createUnknownActor(request);
    const accountId = await signUp(deps, { email, password, name, token, actor });
    const proof = { method: "sign_up", caller: request } as const;
    const { account, cookies } = await deps.auth.openSession(accountId, proof);
    return setCookies(reply, cookies).send(toAccountResponse(account));
  });
}

function registerSignIn(
  server: Server,
  deps: AccountRouteDeps & FirstFactorDeps,
  { guard, failedSignIns }: { guard: Guard; failedSignIns: FailedSignInLog },
): void {
  const { auth, context } = deps;
  const schema = {
    operationId: "signIn",
    errorStatuses: [401, 429],
    tags: ["Sign-in"],
    summary: "Sign in with a password; with two-factor sign-in, get a token for the second step",
    body: Type.Object({ email: EmailAddress, password: Type.String() }),
    response: {
      200: SignInResponse,
    },
  };
  server.post("/api/auth/sign-in/email", { schema, onRequest: guard }, async (request, reply) => {
    const body = { email: parseEmail(request.body.email), password: request.body.password };
    const failure = {
      method: "password",
      actor: createUnknownActor(request),
      codes: ["unauthenticated"],
      findAccountId: async () => (await findAccountByEmail(context, body.email))?.id ?? null,
    } as const;
    const factor = await recordIfItFails(failedSignIns, failure, () =>
      verifyFirstFactor(deps, { ...body, caller: request }),
    );
    if (factor.kind === "code_required") return { twoFactorToken: factor.token };
    const proof = { method: "password", caller: request } as const;
    const openSession = () => auth.openSession(factor.accountId, proof);
    const { account, cookies } = await openSessionByPassword(context, {
      ...factor,
      openSession,
    });
    return setCookies(reply, cookies).send(toAccountResponse(account));
  });
}

function registerSession(
  server: Server,
  { auth, context, onSignedOut }: AccountRouteDeps,
  onRequest: Guard,
): void {
  const tags = ["Sign-in"];
  const signOut = {
    operationId: "signOut",
    tags,
    summary: "Sign out",
    response: { 200: DoneResponse },
  };
  server.post("/api/auth/sign-out", { schema: signOut, onRequest }, async (request, reply) => {
    const signedIn = await auth.findSession(request.headers.cookie);
    if (signedIn !== null) {
      const { account, sessionId: id } = signedIn;
      const credential = { kind: "session", accountId: account.id, credentialId: id } as const;
      await endSession(context, {
        accountId: account.id,
        id,
        actor: createActor(request, credential),
      });
      onSignedOut(account.id);
    }
    return setCookies(reply, [auth.formatDeletionCookie()]).send(SUCCESS);
  });
  const getSession = {
    operationId: "getSession",
    tags,
    summary: "Show the account of the session cookie, or null",
    response: { 200: Type.Object({ account: Type.Union([AccountResponse, Type.Null()]) }) },
  };
  server.get("/api/auth/get-session", { schema: getSession }, async (request, reply) => {
    const { account, cookies } = await auth.extendSession(request.headers.cookie);
    return setCookies(reply, cookies).send({ account });
  });
}

/** The emailed link opens a page that calls this operation, because mail scanners follow links with GET. */
function registerVerification(server: Server, { auth }: AccountRouteDeps, onRequest: Guard): void {
  const schema = {
    operationId: "verifyEmail",
    tags: ["Sign-in"],
    summary: "Verify an email address with the token of an emailed link",
    body: Type.Object({ token: Type.String() }),
    response: { 200: DoneResponse },
  };
  server.post("/api/auth/verify-email", { schema, onRequest }, async (request) => {
    await auth.verifyEmail(request.body.token, createUnknownActor(request));
    return SUCCESS;
  });
}

function registerMe(server: Server, { auth, authenticate }: AccountRouteDeps): void {
  const schema = {
    operationId: "getMe",
    tags: ["Account"],
    summary: "Show my account",
    response: { 200: AccountResponse },
  };
  server.get("/api/app/v1/me", { schema }, async (request, reply) => {
    const { accountId, email, name, isAdmin } = await authenticate(request);
    if (request.headers.cookie !== undefined) {
      // Every page of the console calls this operation, so the session of a returning person is extended.
      const { cookies } = await auth.extendSession(request.headers.cookie);
      setCookies(reply, cookies);
    }
    return { id: accountId, email, name, isAdmin };
  });
}

const DoneResponse = Type.Object({ success: Type.Boolean() });
const SUCCESS = { success: true };

function setCookies(reply: FastifyReply, cookies: readonly string[]): FastifyReply {
  return cookies.length === 0 ? reply : reply.header("set-cookie", [...cookies]);
}
