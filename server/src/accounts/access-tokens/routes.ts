import { NAME_MAX_CHARACTERS } from "../account.ts";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { PageResponse, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import {
  requireUnpaired,
  requirePasswordIfPaired,
  type ConfirmationDeps,
} from "../confirmation.ts";
import type { AccessToken } from "./access-token.ts";
import { issueAccessToken, type IssueAccessTokenDeps } from "./issue.ts";
import { listAccessTokens, revokeAccessToken } from "./store.ts";

interface AccessTokenRouteDeps extends ConfirmationDeps, IssueAccessTokenDeps {
  readonly authenticate: Authenticate;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/** Registers the operations on the access tokens of an account. */
export function registerAccessTokenRoutes(server: Server, deps: AccessTokenRouteDeps): void {
  registerList(server, deps);
  registerCreate(server, deps);
  registerRevoke(server, deps);
}

const tags = ["Account"];

const AccessTokenResponse = Type.Object({
  id: Type.String(),
  label: Type.String(),
  createdAt: Type.String(),
  lastUsedAt: Type.Union([Type.String(), Type.Null()]),
});

function registerList(server: Server, { context, authenticate }: AccessTokenRouteDeps): void {
  const schema = {
    operationId: "listAccessTokens",
    tags,
    summary: "List my access tokens, newest first",
    querystring: PageQuery,
    response: {
      200: PageResponse(AccessTokenResponse),
    },
  };
  server.get("/api/app/v1/access-tokens", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { limit, after } = parsePage(request.query);
    const tokens = await listAccessTokens(context, { accountId, limit: limit + 1, after });
    return toPage(tokens.map(toResponse), limit);
  });
}

/** A token outlives the pairing that admitted a browser, so a pairing is not enough to create one. */
function registerCreate(server: Server, deps: AccessTokenRouteDeps): void {
  const schema = {
    operationId: "createAccessToken",
    errorStatuses: [409, 429],
    tags,
    summary: "Create an access token for an app or the command line; it is shown only once",
    description: "A browser that was added by another one must send the password.",
    body: Type.Object({
      label: VisibleText(NAME_MAX_CHARACTERS),
      password: Type.Optional(Type.String()),
    }),
    response: { 201: Type.Object({ id: Type.String(), token: Type.String() }) },
  };
  server.post("/api/app/v1/access-tokens", { schema }, async (request, reply) => {
    const { accountId, session, actor } = await deps.authenticate(request);
    const { label, password = null } = request.body;
    await requirePasswordIfPaired(deps, { accountId, session, password });
    const issuedToken = await issueAccessToken(deps, { accountId, label, actor });
    return reply.code(201).send(issuedToken);
  });
}

function registerRevoke(server: Server, deps: AccessTokenRouteDeps): void {
  const { context, authenticate, onSignedOut } = deps;
  const schema = {
    operationId: "removeAccessToken",
    tags,
    summary: "Revoke an access token",
    description: "Refused in a browser that was added by another one.",
    params: Type.Object({ id: Type.String() }),
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/access-tokens/:id", { schema }, async (request, reply) => {
    const { accountId, session, actor } = await authenticate(request);
    await requireUnpaired(context, session);
    const isRevoked = await revokeAccessToken(context, { id: request.params.id, accountId, actor });
    if (!isRevoked) throw new AppError("not_found", "There is no such access token.");
    onSignedOut(accountId);
    return reply.code(204).send(null);
  });
}

function toResponse({ id, label, createdAt, lastUsedAt }: AccessToken) {
  return {
    id,
    label,
    createdAt: formatTimestamp(createdAt),
    lastUsedAt: lastUsedAt === null ? null : formatTimestamp(lastUsedAt),
  };
}
