import { Type } from "#schema/json-schema.ts";
import { describeUserAgent } from "#audit/user-agent.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { requireUnpaired } from "../confirmation.ts";
import { listSessions, endOtherSessions, endSession } from "./store/own-sessions.ts";

interface SessionRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/** Registers the routes that list and end sessions. */
export function registerSessionRoutes(server: Server, deps: SessionRouteDeps): void {
  registerList(server, deps);
  registerRemove(server, deps);
  registerRemoveOthers(server, deps);
}

const tags = ["Account"];

const SessionResponse = Type.Object({
  id: Type.String(),
  createdAt: Timestamp,
  lastSeenAt: Type.String({ format: "date-time", description: "Accurate to a day." }),
  userAgent: Nullable(
    Type.String({ description: "Browser and system, such as Firefox on Linux." }),
  ),
  isCurrent: Type.Boolean(),
  isPaired: Type.Boolean({
    description: "Added by another of my browsers, with a code or its link.",
  }),
});

function registerList(server: Server, { context, authenticate }: SessionRouteDeps): void {
  const schema = {
    operationId: "listSessions",
    tags,
    summary: "List my sessions, newest first",
    querystring: PageQuery,
    response: { 200: PageResponse(SessionResponse) },
  };
  server.get("/api/app/v1/sessions", { schema }, async (request) => {
    const { accountId, session: current } = await authenticate(request);
    const { limit, after } = parsePage(request.query);
    const sessions = await listSessions(context, { accountId, limit: limit + 1, after });
    const items = sessions.map(({ id, createdAt, lastSeenAt, userAgent, isPaired }) => ({
      id,
      createdAt: formatTimestamp(createdAt),
      lastSeenAt: formatTimestamp(lastSeenAt),
      userAgent: describeUserAgent(userAgent),
      isCurrent: id === current?.id,
      isPaired,
    }));
    return toPage(items, limit);
  });
}

function registerRemove(server: Server, deps: SessionRouteDeps): void {
  const { context, authenticate, onSignedOut } = deps;
  const schema = {
    operationId: "removeSession",
    tags,
    summary: "End a session",
    description: "A browser that was added by another one can end only its own session.",
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/sessions/:id", { schema }, async (request, reply) => {
    const { accountId, session, actor } = await authenticate(request);
    const { id } = request.params;
    if (session?.id !== id) await requireUnpaired(context, session);
    const isRemoved = await endSession(context, { accountId, id, actor });
    if (!isRemoved) throw new AppError("not_found", "There is no such session.");
    onSignedOut(accountId);
    return reply.code(204).send(null);
  });
}

function registerRemoveOthers(server: Server, deps: SessionRouteDeps): void {
  const { context, authenticate, onSignedOut } = deps;
  const schema = {
    operationId: "removeOtherSessions",
    tags,
    summary: "End all my other sessions",
    description: "Refused in a browser that was added by another one.",
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/sessions/end-others", { schema }, async (request, reply) => {
    const { accountId, session, actor } = await authenticate(request);
    await requireUnpaired(context, session);
    await endOtherSessions(context, { accountId, keptSessionId: session?.id ?? null, actor });
    onSignedOut(accountId);
    return reply.code(204).send(null);
  });
}
