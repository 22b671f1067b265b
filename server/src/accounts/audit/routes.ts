import { toOwnEventResponse } from "#audit/response.ts";
import { listEvents } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { AuditEventResponse, AuditQuery, parseAuditQuery } from "./audit-query.ts";

interface OwnAuditDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
}

/** Registers the list of an account's own audit events. */
export function registerOwnAudit(server: Server, { context, authenticate }: OwnAuditDeps): void {
  const schema = {
    operationId: "listMyAudit",
    tags: ["Account"],
    summary: "List what I did and what was done to my account, newest first; kept for a year",
    querystring: Type.Object({ ...PageQuery.properties, ...AuditQuery.properties }),
    response: { 200: PageResponse(AuditEventResponse) },
  };
  server.get("/api/app/v1/me/audit", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { after, limit } = parsePage(request.query);
    const filter = { ...parseAuditQuery(request.query), accountId };
    const events = await listEvents(context, { ...filter, after, limit: limit + 1 });
    return toPage(
      events.map((event) => toOwnEventResponse(event, accountId)),
      limit,
    );
  });
}
