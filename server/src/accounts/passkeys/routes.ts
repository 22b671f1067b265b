import { createUnknownActor } from "#audit/actor.ts";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate, Guard } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse, Timestamp, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import type { MailQueue } from "#mail/mail.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { NAME_MAX_CHARACTERS, parseName } from "../account.ts";
import { AccountResponse, toAccountResponse } from "../response.ts";
import type { Auth } from "../auth.ts";
import {
  requireUnpaired,
  requirePasswordOrRecentSignIn,
  type ConfirmationDeps,
} from "../confirmation.ts";
import { recordIfItFails, type FailedSignInLog } from "../failed-sign-in-log.ts";
import {
  countFailures,
  createAttemptLimit,
  toNetwork,
  type AttemptLimit,
} from "../attempt-limit.ts";
import { createPasskeyAddedMail } from "../mails.ts";
import type { PasskeyDeps } from "./passkeys.ts";
import {
  AuthenticationBody,
  RegistrationBody,
  RegistrationOptions,
  AuthenticationOptions,
} from "./schema.ts";
import { listPasskeys, removePasskey, renamePasskey, type Passkey } from "./store.ts";

interface PasskeyRouteDeps extends PasskeyDeps, ConfirmationDeps {
  readonly auth: Auth;
  readonly authenticate: Authenticate;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  readonly failedSignIns: FailedSignInLog;
}

/** Loaded on first use, because the library is a tenth of all modules of the server. */
const loadPasskeys = async () => import("./passkeys.ts");

/** Limits passkey challenges per network, because each is stored until it is answered or expires. */
const CHALLENGE_RATE = { name: "passkey question", burst: 60, perHour: 1_200 };

/** Registers the operations on the passkeys of an account, and the sign-in with a passkey. */
export function registerPasskeyRoutes(
  server: Server,
  deps: PasskeyRouteDeps,
  { guard, failureLimit }: { readonly guard: Guard; readonly failureLimit: AttemptLimit },
): void {
  registerList(server, deps);
  registerOptions(server, deps);
  registerCreate(server, deps);
  registerRename(server, deps);
  registerRemove(server, deps);
  registerSignInOptions(server, deps, guard);
  registerSignIn(server, deps, { guard, failureLimit });
}

const tags = ["Account"];

const PasskeyResponse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
});

function registerList(server: Server, { context, authenticate }: PasskeyRouteDeps): void {
  const schema = {
    operationId: "listPasskeys",
    tags,
    summary: "List my passkeys, newest first",
    querystring: PageQuery,
    response: { 200: PageResponse(PasskeyResponse) },
  };
  server.get("/api/app/v1/passkeys", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { limit, after } = parsePage(request.query);
    const page = await listPasskeys(context, { accountId, limit: limit + 1, after });
    return toPage(page.map(toResponse), limit);
  });
}

function registerOptions(server: Server, deps: PasskeyRouteDeps): void {
  const schema = {
    operationId: "beginPasskey",
    errorStatuses: [409, 429],
    tags,
    summary:
      "Get the options for creating a passkey: PublicKeyCredential.parseCreationOptionsFromJSON",
    description: "Asks for the password, unless the session was opened in the last ten minutes.",
    body: Type.Object({ password: Type.Optional(Type.String()) }),
    response: { 200: RegistrationOptions },
  };
  server.post("/api/app/v1/passkeys/options", { schema }, async (request) => {
    const { accountId, email, name, session } = await deps.authenticate(request);
    const { password = null } = request.body;
    await requirePasswordOrRecentSignIn(deps, { accountId, session, password });
    return (await loadPasskeys()).beginRegistration(deps, { accountId, email, name });
  });
}

function registerCreate(server: Server, deps: PasskeyRouteDeps): void {
  const schema = {
    operationId: "createPasskey",
    errorStatuses: [409],
    tags,
    summary: "Add a passkey, as PublicKeyCredential.toJSON returns it",
    body: Type.Object({ name: VisibleText(NAME_MAX_CHARACTERS), credential: RegistrationBody }),
    response: { 201: PasskeyResponse },
  };
  server.post("/api/app/v1/passkeys", { schema }, async (request, reply) => {
    const { accountId, email, actor } = await deps.authenticate(request);
    const { finishRegistration } = await loadPasskeys();
    const { name, credential } = request.body;
    const notice = createPasskeyAddedMail(deps.baseUrl, email);
    const passkey = await finishRegistration(deps, { accountId, actor, name, credential, notice });
    deps.mail.wake();
    return reply.code(201).send(toResponse(passkey));
  });
}

function registerRename(server: Server, { context, authenticate }: PasskeyRouteDeps): void {
  const schema = {
    operationId: "updatePasskey",
    tags,
    summary: "Rename a passkey",
    params: IdParams,
    body: Type.Object({ name: VisibleText(NAME_MAX_CHARACTERS) }),
    response: { 200: PasskeyResponse },
  };
  server.patch("/api/app/v1/passkeys/:id", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const name = parseName("name", request.body.name);
    const passkey = await renamePasskey(context, { accountId, id: request.params.id, name });
    if (passkey === null) throw createNoSuchPasskeyError();
    return toResponse(passkey);
  });
}

function registerRemove(server: Server, { context, authenticate }: PasskeyRouteDeps): void {
  const schema = {
    operationId: "removePasskey",
    tags,
    summary: "Remove a passkey",
    description: "Refused in a browser that was added by another one.",
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/passkeys/:id", { schema }, async (request, reply) => {
    const { accountId, session, actor } = await authenticate(request);
    await requireUnpaired(context, session);
    const { id } = request.params;
    if (!(await removePasskey(context, { accountId, id, actor }))) throw createNoSuchPasskeyError();
    return reply.code(204).send(null);
  });
}

function registerSignInOptions(server: Server, deps: PasskeyRouteDeps, guard: Guard): void {
  const limit = createAttemptLimit(deps.context, CHALLENGE_RATE);
  const schema = {
    operationId: "beginPasskeySignIn",
    errorStatuses: [429],
    tags: ["Sign-in"],
    summary: "Get the options for using a passkey: PublicKeyCredential.parseRequestOptionsFromJSON",
    response: { 200: AuthenticationOptions },
  };
  server.post("/api/auth/sign-in/passkey/options", { schema, onRequest: guard }, async ({ ip }) => {
    await limit.take(toNetwork(ip));
    return (await loadPasskeys()).beginPasskeySignIn(deps);
  });
}

function registerSignIn(
  server: Server,
  deps: PasskeyRouteDeps,
  { guard, failureLimit }: { readonly guard: Guard; readonly failureLimit: AttemptLimit },
): void {
  const schema = {
    operationId: "signInWithPasskey",
    errorStatuses: [401, 429],
    tags: ["Sign-in"],
    summary: "Sign in with a passkey, as PublicKeyCredential.toJSON returns it",
    body: Type.Object({ credential: AuthenticationBody }),
    response: { 200: AccountResponse },
  };
  const path = "/api/auth/sign-in/passkey";
  server.post(path, { schema, onRequest: guard }, async (request, reply) => {
    const { finishPasskeySignIn } = await loadPasskeys();
    const accountId = await countFailures({ limit: failureLimit, key: toNetwork(request.ip) }, () =>
      recordIfItFails(
        deps.failedSignIns,
        { method: "passkey", actor: createUnknownActor(request), codes: ["invalid_field"] },
        () => finishPasskeySignIn(deps, request.body.credential),
      ),
    );
    const proof = { method: "passkey", caller: request } as const;
    const { account, cookies } = await deps.auth.openSession(accountId, proof);
    return reply.header("set-cookie", [...cookies]).send(toAccountResponse(account));
  });
}

function createNoSuchPasskeyError(): AppError {
  return new AppError("not_found", "There is no such passkey.");
}

function toResponse({ id, name, createdAt, lastUsedAt }: Passkey) {
  return {
    id,
    name,
    createdAt: formatTimestamp(createdAt),
    lastUsedAt: lastUsedAt === null ? null : formatTimestamp(lastUsedAt),
  };
}
