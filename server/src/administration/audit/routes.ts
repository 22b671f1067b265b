import { AuditEventResponse, AuditQuery, parseAuditQuery } from "#accounts/audit/audit-query.ts";
import { toEventResponse } from "#audit/response.ts";
import { listEvents } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";

/** The dependencies of the audit route for administrators. */
export interface AuditRouteDeps {
  readonly context: Context;
  readonly authenticateAdministrator: Authenticate;
}

/** Registers the list of the server's audit events, for administrators. */
export function registerAuditRoutes(
  server: Server,
  { context, authenticateAdministrator }: AuditRouteDeps,
): void {
  const schema = {
    operationId: "listAudit",
    tags: ["Administration"],
    summary: "List what was done on this server, by whom and from where, newest first",
    description: "Kept for a year; network addresses for 30 days.",
    querystring: Type.Object({
      ...PageQuery.properties,
      ...AuditQuery.properties,
      accountId: Type.Optional(
        Type.String({
          description: "Returns only what this account did, and what was done to it.",
        }),
      ),
    }),
    response: { 200: PageResponse(AuditEventResponse) },
  };
  server.get("/api/app/v1/admin/audit", { schema }, async (request) => {
    await authenticateAdministrator(request);
    const { after, limit } = parsePage(request.query);
    const { accountId = null } = request.query;
    const filter = { ...parseAuditQuery(request.query), accountId };
    const events = await listEvents(context, { ...filter, after, limit: limit + 1 });
    return toPage(events.map(toEventResponse), limit);
  });
}
