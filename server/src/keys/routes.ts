import type { Dialect } from "@tocsin/sdk";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { parseExpiry, parseLabel, type KeyOwners } from "./api-key.ts";
import { createCallbackSecret } from "./store/callback-secrets.ts";
import { changeKey } from "./change.ts";
import { issueKey } from "./issue.ts";
import { registerDialectListRoute } from "./dialects/routes.ts";
import { toIssuedResponse, toKeyResponse } from "./response.ts";
import { revokeKey } from "./revoke.ts";
import { OVERLAP_DEFAULT_S, OVERLAP_MAX_S, rotateKey } from "./rotate.ts";
import {
  IssuedKeyResponse,
  KeyChannel,
  KeyDialect,
  KeyKind,
  KeyResponse,
  Label,
} from "./schemas.ts";
import { listKeys } from "./store/keys.ts";
import type { KeyVerifier } from "./verify.ts";

/** The dependencies of the API key routes. */
export interface KeyRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly verifier: KeyVerifier;
  /** The APIs of other services that this server speaks. */
  readonly dialects: readonly Dialect[];
  /** The host that is asked to wake the app of ntfy on iPhones; null if there is none. */
  readonly ntfyUpstream: string | null;
  /** Returns whether the account is an owner or admin of the team. */
  readonly isManager: (input: { teamId: string; accountId: string }) => Promise<boolean>;
  /** Returns the teams of which the account is an owner or admin. */
  readonly listManagedTeamIds: (accountId: string) => Promise<readonly string[]>;
}

const tags = ["API keys"];

/** Registers the operations on the API keys of an account and of the teams that it manages. */
export function registerKeyRoutes(server: Server, deps: KeyRouteDeps): void {
  registerList(server, deps);
  registerCreate(server, deps);
  registerUpdate(server, deps);
  registerRotate(server, deps);
  registerCallbackSecret(server, deps);
  registerRevoke(server, deps);
  registerDialectListRoute(server, deps);
}

function registerList(server: Server, deps: KeyRouteDeps): void {
  const schema = {
    operationId: "listKeys",
    summary: "List the API keys of my account and of the teams I manage",
    tags,
    querystring: PageQuery,
    response: {
      200: PageResponse(KeyResponse),
    },
  };
  server.get("/api/app/v1/keys", { schema }, async (request) => {
    const { accountId } = await deps.authenticate(request);
    const { after, limit } = parsePage(request.query);
    const owners = await findKeyOwners(deps, accountId);
    const keys = await listKeys(deps.context, { owners, after, limit: limit + 1 });
    // Last uses are written once a minute. The list must not say "never used" right after a use.
    const keysWithLastUse = keys.map((key) => ({
      ...key,
      lastUsedAt: deps.verifier.getLastUsedAt(key),
    }));
    return toPage(
      keysWithLastUse.map((key) => toKeyResponse(key, accountId)),
      limit,
    );
  });
}

function registerCreate(server: Server, deps: KeyRouteDeps): void {
  const schema = {
    operationId: "createKey",
    errorStatuses: [404, 409],
    summary: "Create an API key",
    description: "A team key needs a team of which I am an owner or admin.",
    tags,
    body: addDocumentedKeywords(
      Type.Object({
        kind: KeyKind,
        teamId: Type.Optional(Type.String({ description: "Required for a team key." })),
        label: Type.Optional(Label),
        expiresAt: Type.Optional(
          Nullable(
            addDocumentedKeywords(Type.String({ description: "RFC 3339, in the future." }), {
              format: "date-time",
            }),
          ),
        ),
        postOnly: Type.Optional(Type.Boolean({ default: false, description: "Refuse GET." })),
        dialect: Type.Optional(Nullable(KeyDialect)),
        channel: Type.Optional(KeyChannel),
      }),
      { anyOf: [{ properties: { kind: { const: "account" } } }, { required: ["teamId"] }] },
    ),
    response: { 201: IssuedKeyResponse },
  };
  server.post("/api/app/v1/keys", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { kind, teamId, label = null, expiresAt = null, postOnly = false } = request.body;
    const { dialect = null, channel = null } = request.body;
    requireSpoken(deps, dialect);
    const newKey = await issueKey(deps.context, {
      accountId,
      actor,
      label: parseLabel(label),
      expiresAt: parseExpiry(expiresAt, deps.context.now()),
      isPostOnly: postOnly,
      dialect,
      channel,
      teamId: kind === "team" ? await requireTeam(deps, { accountId, teamId }) : null,
    });
    return reply.code(201).send(toIssuedResponse(newKey, accountId));
  });
}

function registerUpdate(server: Server, deps: KeyRouteDeps): void {
  const schema = {
    operationId: "updateKey",
    summary:
      "Rename an API key, or change whether it refuses GET, its escalation policy or its channel",
    tags,
    params: IdParams,
    body: Type.Object({
      label: Type.Optional(Label),
      postOnly: Type.Optional(Type.Boolean({ description: "Refuse GET." })),
      escalationPolicyId: Type.Optional(
        Nullable(
          Type.String({ description: "An escalation policy of the key's owner; null for none." }),
        ),
      ),
      channel: Type.Optional(KeyChannel),
    }),
    response: { 200: KeyResponse },
  };
  server.patch("/api/app/v1/keys/:id", { schema }, async (request) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { label, postOnly, escalationPolicyId, channel } = request.body;
    const change = {
      ...(label === undefined ? {} : { label: parseLabel(label) }),
      ...(postOnly === undefined ? {} : { isPostOnly: postOnly }),
      ...(escalationPolicyId === undefined ? {} : { escalationPolicyId }),
      ...(channel === undefined ? {} : { channel }),
    };
    const owners = await findKeyOwners(deps, accountId);
    const apiKey = await changeKey(deps, { owners, keyId: request.params.id, actor, change });
    if (apiKey === null) throw createNoSuchKeyError();
    return toKeyResponse(apiKey, accountId);
  });
}

function registerRotate(server: Server, deps: KeyRouteDeps): void {
  const schema = {
    operationId: "rotateKey",
    errorStatuses: [409],
    summary: "Replace an API key",
    description:
      "The new key has the same label, kind, team, expiry, form and settings; the old one stays valid for the overlap.",
    tags,
    params: IdParams,
    body: Nullable(
      Type.Object({
        overlapSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: OVERLAP_MAX_S,
            description: `Default ${OVERLAP_DEFAULT_S}: a day.`,
          }),
        ),
      }),
    ),
    response: { 201: IssuedKeyResponse },
  };
  server.post("/api/app/v1/keys/:id/rotate", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const owners = await findKeyOwners(deps, accountId);
    // Without a body, `request.body` is undefined, although its type says null.
    const overlapSeconds = request.body?.overlapSeconds ?? OVERLAP_DEFAULT_S;
    const newKey = await rotateKey(deps, {
      owners,
      keyId: request.params.id,
      overlapSeconds,
      actor,
    });
    if (newKey === null) throw createNoSuchKeyError();
    return reply.code(201).send(toIssuedResponse(newKey, accountId));
  });
}

function registerCallbackSecret(server: Server, deps: KeyRouteDeps): void {
  const schema = {
    operationId: "createCallbackSecret",
    summary: "Create a secret that signs the callbacks of an API key",
    description:
      "The key and those that replace it share the secret. The previous secret stays valid for a day, and earlier ones end at once.",
    tags,
    params: IdParams,
    response: {
      201: Type.Object({
        secret: Type.String({ description: "The secret itself, shown only once." }),
      }),
    },
  };
  server.post("/api/app/v1/keys/:id/callback-secret", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const owners = await findKeyOwners(deps, accountId);
    const ownedKey = { owners, keyId: request.params.id, actor };
    const secret = await createCallbackSecret(deps.context, ownedKey);
    if (secret === null) throw createNoSuchKeyError();
    return reply.code(201).send({ secret });
  });
}

function registerRevoke(server: Server, deps: KeyRouteDeps): void {
  const schema = {
    operationId: "revokeKey",
    summary: "Revoke an API key",
    tags,
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/keys/:id", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const owners = await findKeyOwners(deps, accountId);
    const isRevoked = await revokeKey(deps, { owners, keyId: request.params.id, actor });
    if (!isRevoked) throw createNoSuchKeyError();
    return reply.code(204).send(null);
  });
}

async function findKeyOwners(
  { listManagedTeamIds }: KeyRouteDeps,
  accountId: string,
): Promise<KeyOwners> {
  return { accountId, teamIds: await listManagedTeamIds(accountId) };
}

/** Throws the same error for another account's team as for a missing one. */
async function requireTeam(
  { isManager }: KeyRouteDeps,
  { accountId, teamId }: { readonly accountId: string; readonly teamId: string | undefined },
): Promise<string> {
  if (teamId === undefined) throw invalidField("teamId", "teamId is required for a team key.");
  if (await isManager({ teamId, accountId })) return teamId;
  throw new AppError("not_found", "You do not manage a team with this id.");
}

/** Throws for an API that this server does not speak: the key would work nowhere. */
function requireSpoken({ dialects }: KeyRouteDeps, dialect: Dialect | null): void {
  if (dialect === null || dialects.includes(dialect)) return;
  const message = `This server does not speak the API of ${dialect}: see its setting TOCSIN_DIALECTS.`;
  throw invalidField("dialect", message);
}

/** Returns the same error for another account's key as for a missing one. */
function createNoSuchKeyError(): AppError {
  return new AppError("not_found", "You have no such API key.");
}
