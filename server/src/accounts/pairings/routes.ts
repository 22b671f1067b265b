import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Authenticate, Guard } from "#http/authenticate.ts";
import { IdParams, Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { createConsoleLink } from "../console-link.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { AccountResponse, toAccountResponse } from "../response.ts";
import type { Auth } from "../auth.ts";
import type { FailedSignInLog } from "../failed-sign-in-log.ts";
import type { AttemptLimit } from "../attempt-limit.ts";
import { createPairingCodes } from "./codes.ts";
import { createPairing, pair, type PairDeps, type PairingProof } from "./pair.ts";
import { findPairing, removePairing } from "./store.ts";

interface PairingRouteDeps {
  /** Limits wrong codes per network. */
  readonly wrongCodeLimit: AttemptLimit;
  readonly failedSignIns: FailedSignInLog;
  readonly context: Context;
  readonly auth: Auth;
  readonly authenticate: Authenticate;
  readonly baseUrl: string;
  /** The session secret, from which the key of the hashed codes is derived. */
  readonly secret: string;
}

interface PairingHandlerDeps extends PairDeps, PairingRouteDeps {
  readonly auth: Auth;
}

/** Registers the routes that let a signed-in browser add another browser. */
export function registerPairingRoutes(server: Server, deps: PairingRouteDeps, guard: Guard): void {
  const pairingDeps = {
    ...deps,
    codes: createPairingCodes(deps.secret),
  };
  registerCreate(server, pairingDeps);
  registerGet(server, pairingDeps);
  registerRemove(server, pairingDeps);
  registerPair(server, pairingDeps, guard);
}

const tags = ["Account"];

function registerCreate(server: Server, deps: PairingHandlerDeps): void {
  const schema = {
    operationId: "createPairing",
    tags,
    summary: "Create a single-use link and code that add a browser to my account",
    description:
      "Needs a session. At most ten pairings are valid at a time; another one revokes the oldest.",
    response: {
      201: Type.Object({
        id: Type.String(),
        url: Type.String({
          description: "For a QR code. The secret in it never reaches a server log.",
        }),
        code: Type.String({ description: "Ten letters and digits, to be typed at /add." }),
        expiresAt: Timestamp,
      }),
    },
  };
  server.post("/api/app/v1/pairings", { schema }, async (request, reply) => {
    const { accountId, session, actor } = await deps.authenticate(request);
    if (session === null) {
      throw new AppError("forbidden", "Only a signed-in browser can add another one.");
    }
    const { id, token, code, expiresAt } = await createPairing(deps, {
      accountId,
      sessionId: session.id,
      actor,
    });
    const url = createConsoleLink(deps.baseUrl, "add", token);
    return reply.code(201).send({ id, url, code, expiresAt: formatTimestamp(expiresAt) });
  });
}

function registerGet(server: Server, { context, authenticate }: PairingHandlerDeps): void {
  const schema = {
    operationId: "getPairing",
    tags,
    summary: "Show whether a browser has used a pairing",
    params: IdParams,
    response: {
      200: Type.Object({
        id: Type.String(),
        state: Type.Union([Type.Literal("waiting"), Type.Literal("used"), Type.Literal("expired")]),
        expiresAt: Timestamp,
      }),
    },
  };
  server.get("/api/app/v1/pairings/:id", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const pairing = await findPairing(context, { accountId, id: request.params.id });
    if (pairing === null) throw createNoSuchPairingError();
    return {
      id: pairing.id,
      state: toState(context, pairing),
      expiresAt: formatTimestamp(pairing.expiresAt),
    };
  });
}

function registerRemove(server: Server, { context, authenticate }: PairingHandlerDeps): void {
  const schema = {
    operationId: "removePairing",
    tags,
    summary: "Revoke the link and the code of a pairing",
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/pairings/:id", { schema }, async (request, reply) => {
    const { accountId } = await authenticate(request);
    const isRemoved = await removePairing(context, { accountId, id: request.params.id });
    if (!isRemoved) throw createNoSuchPairingError();
    return reply.code(204).send(null);
  });
}

function registerPair(server: Server, deps: PairingHandlerDeps, guard: Guard): void {
  const schema = {
    operationId: "pair",
    errorStatuses: [401, 429],
    tags: ["Sign-in"],
    summary: "Sign in with the token of a pairing's link, or with its code",
    body: addDocumentedKeywords(
      Type.Object({
        token: Type.Optional(Type.String()),
        code: Type.Optional(Type.String()),
      }),
      { oneOf: [{ required: ["token"] }, { required: ["code"] }] },
    ),
    response: {
      200: Type.Object({
        account: AccountResponse,
        installToken: Nullable(
          Type.String({
            description:
              "Valid for an hour: signs in the app that this browser adds to the Home Screen.",
          }),
        ),
      }),
    },
  };
  server.post("/api/auth/pair", { schema, onRequest: guard }, async (request, reply) => {
    const proof = parseProof(request.body);
    const { account, cookies, installToken } = await pair(deps, { proof, caller: request });
    return reply
      .header("set-cookie", [...cookies])
      .send({ account: toAccountResponse(account), installToken });
  });
}

function parseProof({ token, code }: { token?: string; code?: string }): PairingProof {
  if (token !== undefined && code === undefined) return { token };
  if (code !== undefined && token === undefined) return { code };
  throw invalidField("code", "Send either the token of a link or a code.");
}

function toState(
  { now }: Context,
  { usedAt, expiresAt }: { readonly usedAt: number | null; readonly expiresAt: number },
) {
  if (usedAt !== null) return "used" as const;
  return expiresAt > now() ? ("waiting" as const) : ("expired" as const);
}

function createNoSuchPairingError(): AppError {
  return new AppError("not_found", "There is no such pairing.");
}
