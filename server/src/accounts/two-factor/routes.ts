import { Type } from "#schema/json-schema.ts";
import type { Authenticate, Guard } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import type { MailQueue } from "#mail/mail.ts";
import { AccountResponse, toAccountResponse } from "../response.ts";
import type { Auth } from "../auth.ts";
import { requirePassword, type ConfirmationDeps } from "../confirmation.ts";
import { createTwoFactorTurnedOffMail } from "../mails.ts";
import { findPasswordHash } from "../store/accounts.ts";
import { countBackupCodes, turnOffTwoFactor } from "./store.ts";
import {
  beginTwoFactor,
  confirmTwoFactor,
  isTwoFactorOn,
  verifySecondFactor,
  renewBackupCodes,
  type TwoFactorDeps,
} from "./two-factor.ts";

interface TwoFactorRouteDeps extends TwoFactorDeps, ConfirmationDeps {
  readonly auth: Auth;
  readonly authenticate: Authenticate;
  readonly mail: MailQueue;
  readonly baseUrl: string;
}

/** Registers the operations that turn two-factor sign-in on and off, and the sign-in with a code. */
export function registerTwoFactorRoutes(
  server: Server,
  deps: TwoFactorRouteDeps,
  guard: Guard,
): void {
  registerGetSecurity(server, deps);
  registerBegin(server, deps);
  registerConfirm(server, deps);
  registerRenewal(server, deps);
  registerTurnOff(server, deps);
  registerSignIn(server, deps, guard);
}

const tags = ["Account"];
const PasswordBodySchema = Type.Object({ password: Type.Optional(Type.String()) });
const BackupCodesSchema = Type.Immutable(
  Type.Array(Type.String(), {
    description:
      "Each can be used once instead of a code of the app. The server shows them only now.",
  }),
);

function registerGetSecurity(server: Server, { context, authenticate }: TwoFactorRouteDeps): void {
  const schema = {
    operationId: "getSecurity",
    tags,
    summary: "Show how I can sign in",
    response: {
      200: Type.Object({
        hasPassword: Type.Boolean(),
        isEmailVerified: Type.Boolean(),
        isTwoFactorOn: Type.Boolean(),
        backupCodesLeft: Type.Integer(),
      }),
    },
  };
  server.get("/api/app/v1/me/security", { schema }, async (request) => {
    const { accountId, isEmailVerified } = await authenticate(request);
    const isOn = await isTwoFactorOn(context, accountId);
    return {
      hasPassword: (await findPasswordHash(context, accountId)) !== null,
      isEmailVerified,
      isTwoFactorOn: isOn,
      backupCodesLeft: isOn ? await countBackupCodes(context, accountId) : 0,
    };
  });
}

function registerBegin(server: Server, deps: TwoFactorRouteDeps): void {
  const schema = {
    operationId: "beginTwoFactor",
    errorStatuses: [409, 429],
    tags,
    summary: "Create the secret for an authenticator app; it takes effect once I confirm it",
    body: PasswordBodySchema,
    response: {
      200: Type.Object({
        uri: Type.String({ description: "otpauth://, for a QR code." }),
        secret: Type.String({
          description: "The secret in base32, for typing instead of scanning.",
        }),
        backupCodes: BackupCodesSchema,
      }),
    },
  };
  server.post("/api/app/v1/me/two-factor", { schema }, async (request) => {
    const { accountId, email, session } = await deps.authenticate(request);
    const { password = null } = request.body;
    await requirePassword(deps, { accountId, session, password });
    return beginTwoFactor(deps, { accountId, email });
  });
}

function registerConfirm(server: Server, deps: TwoFactorRouteDeps): void {
  const schema = {
    operationId: "confirmTwoFactor",
    errorStatuses: [409, 429],
    tags,
    summary: "Turn on two-factor sign-in with the first code of the authenticator app",
    body: Type.Object({ code: Type.String() }),
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/me/two-factor/confirm", { schema }, async (request, reply) => {
    const { accountId, session, actor } = await deps.authenticate(request);
    await confirmTwoFactor(deps, { accountId, session, code: request.body.code, actor });
    return reply.code(204).send(null);
  });
}

function registerRenewal(server: Server, deps: TwoFactorRouteDeps): void {
  const schema = {
    operationId: "renewBackupCodes",
    errorStatuses: [409, 429],
    tags,
    summary: "Replace all backup codes with new ones",
    body: PasswordBodySchema,
    response: { 200: Type.Object({ backupCodes: BackupCodesSchema }) },
  };
  server.post("/api/app/v1/me/two-factor/backup-codes", { schema }, async (request) => {
    const { accountId, session, actor } = await deps.authenticate(request);
    const { password = null } = request.body;
    await requirePassword(deps, { accountId, session, password });
    return { backupCodes: await renewBackupCodes(deps, { accountId, actor }) };
  });
}

function registerTurnOff(server: Server, deps: TwoFactorRouteDeps): void {
  const schema = {
    operationId: "endTwoFactor",
    errorStatuses: [429],
    tags,
    summary: "Turn off two-factor sign-in",
    body: PasswordBodySchema,
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/me/two-factor/end", { schema }, async (request, reply) => {
    const { accountId, email, session, actor } = await deps.authenticate(request);
    const { password = null } = request.body;
    await requirePassword(deps, { accountId, session, password });
    const notice = createTwoFactorTurnedOffMail(deps.baseUrl, email);
    if (await turnOffTwoFactor(deps.context, { accountId, actor, notice })) deps.mail.wake();
    return reply.code(204).send(null);
  });
}

function registerSignIn(server: Server, deps: TwoFactorRouteDeps, guard: Guard): void {
  const schema = {
    operationId: "signInWithCode",
    errorStatuses: [401, 429],
    tags: ["Sign-in"],
    summary: "Complete a sign-in with a code of the authenticator app or a backup code",
    body: Type.Object({ token: Type.String(), code: Type.String() }),
    response: { 200: AccountResponse },
  };
  const path = "/api/auth/sign-in/two-factor";
  server.post(path, { schema, onRequest: guard }, async (request, reply) => {
    const { token, code } = request.body;
    const accountId = await verifySecondFactor(deps, { token, code, caller: request });
    const proof = { method: "code", caller: request } as const;
    const { account, cookies } = await deps.auth.openSession(accountId, proof);
    return reply.header("set-cookie", [...cookies]).send(toAccountResponse(account));
  });
}
