import { INCIDENT_STATES, type IncidentState } from "@tocsin/sdk";
import type { FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate, Person } from "#http/authenticate.ts";
import { decodeCursor, encodeCursor, PageQuery, parsePage, toPage } from "#http/page.ts";
import { IdParams, PageResponse } from "#http/schema.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import type { Server } from "#http/server.ts";
import { createRecordSchema } from "#notifications/log/routes.ts";
import { Type } from "#schema/json-schema.ts";
import {
  actAsPerson,
  isRingingAct,
  ACKNOWLEDGED_INCIDENTS_MAX,
  NOTE_LENGTH_MAX,
} from "./act-as-person.ts";
import type { ActKind } from "./act.ts";
import { loadIncidentDetail, SHOWN_DELIVERIES_MAX } from "./detail.ts";
import type { Incidents } from "./incidents.ts";
import { getMeans } from "./means.ts";
import { findReachedIncident, listTeamIds } from "./reader.ts";
import { loadIncidents } from "./response.ts";
import { createActedSchema, createIncidentDetailSchema, IncidentSchema } from "./schemas.ts";
import { listReachedIncidents } from "./store/reached-incidents.ts";

/** The dependencies of the incident routes. */
export interface IncidentRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly incidents: Incidents;
  /** Limits the acts that make devices ring, by account. */
  readonly rateLimit: RateLimiter;
}

const tags = ["Incidents"];

/** Registers the operations of people on the incidents of which they were told. */
export function registerIncidentRoutes(server: Server, deps: IncidentRouteDeps): void {
  registerListRoute(server, deps);
  registerDetailRoute(server, deps);
  registerAcknowledgeManyRoute(server, deps);
  for (const route of ACT_ROUTES) registerActRoute(server, deps, route);
}

function registerListRoute(server: Server, { context, authenticate }: IncidentRouteDeps): void {
  const schema = {
    operationId: "listIncidents",
    summary: "List the incidents of which I was told, newest first",
    tags,
    querystring: Type.Object({
      ...PageQuery.properties,
      state: Type.Optional(
        Type.Enum(["open", ...INCIDENT_STATES], { description: "`open`: all but resolved ones." }),
      ),
    }),
    response: { 200: PageResponse(IncidentSchema) },
  };
  server.get("/api/app/v1/incidents", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { after, limit } = parsePage(request.query);
    const states = toStates(request.query.state);
    const teamIds = await listTeamIds(context, accountId);
    const page = { accountId, teamIds, hasQuestion: false, states, after, limit: limit + 1 };
    const incidents = await listReachedIncidents(context, page);
    return toPage(await loadIncidents(context, incidents), limit);
  });
}

function toStates(state: IncidentState | "open" | undefined): readonly IncidentState[] | null {
  if (state === undefined) return null;
  return state === "open" ? ["triggered", "acknowledged", "expired"] : [state];
}

function registerDetailRoute(server: Server, { context, authenticate }: IncidentRouteDeps): void {
  const schema = {
    operationId: "getIncident",
    summary: "Show an incident, its history, and the result of every push on every device",
    tags,
    params: IdParams,
    querystring: Type.Object({
      cursor: Type.Optional(
        Type.String({ description: "The `earlierCursor` of a response: shows earlier entries." }),
      ),
    }),
    response: { 200: createIncidentDetailSchema(createRecordSchema(SHOWN_DELIVERIES_MAX)) },
  };
  server.get("/api/app/v1/incidents/:id", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { cursor } = request.query;
    const before = cursor === undefined ? null : decodeCursor(cursor);
    const reader = { accountId, deviceId: null };
    const incident = await findReachedIncident(context, request.params.id, reader);
    if (incident === null) throw createNoSuchIncidentError();
    const { detail, earlierThan } = await loadIncidentDetail(context, { incident, before });
    const earlierCursor = earlierThan === null ? null : encodeCursor(earlierThan);
    return { ...detail, earlierCursor };
  });
}

interface ActRoute {
  readonly path: string;
  readonly kind: ActKind;
  readonly operationId: string;
  readonly summary: string;
}

const ACT_ROUTES: readonly ActRoute[] = [
  {
    path: "acknowledge",
    kind: "acknowledge",
    operationId: "acknowledgeIncident",
    summary:
      "Acknowledge an incident: it stops ringing, and everybody who was told learns who acted",
  },
  {
    path: "resolve",
    kind: "resolve",
    operationId: "resolveIncident",
    summary: "Resolve an incident, which ends it",
  },
  {
    path: "escalate",
    kind: "escalate",
    operationId: "escalateIncident",
    summary: "Pass a ringing incident on to the next step of its policy",
  },
  {
    path: "ring-again",
    kind: "ring_again",
    operationId: "ringIncidentAgain",
    summary: "Make an incident ring again",
  },
];

function registerActRoute(
  server: Server,
  deps: IncidentRouteDeps,
  { path, kind, operationId, summary }: ActRoute,
): void {
  const schema = {
    operationId,
    summary,
    errorStatuses: isRingingAct(kind) ? [409, 429] : [],
    tags,
    params: IdParams,
    body: Type.Object({
      note: Type.Optional(
        Type.String({
          maxLength: NOTE_LENGTH_MAX,
          description: `For the history; at most ${NOTE_LENGTH_MAX} characters.`,
        }),
      ),
    }),
    response: { 200: createActedSchema(IncidentSchema) },
  };
  server.post(`/api/app/v1/incidents/:id/${path}`, { schema }, async (request) => {
    const person = await deps.authenticate(request);
    if (isRingingAct(kind)) deps.rateLimit.take(person.accountId, 1);
    const note = request.body.note ?? null;
    const incidentId = request.params.id;
    const acted = await actAsPerson(deps, {
      ...toActingPerson(person, request),
      incidentId,
      kind,
      note,
    });
    if (acted === null) throw createNoSuchIncidentError();
    if (!acted.isChanged && isRingingAct(kind)) throw new AppError("not_ringing", acted.message);
    return acted;
  });
}

function registerAcknowledgeManyRoute(server: Server, deps: IncidentRouteDeps): void {
  const schema = {
    operationId: "acknowledgeIncidents",
    summary: "Acknowledge several incidents",
    tags,
    body: Type.Object({
      ids: Type.Array(Type.String(), { minItems: 1, maxItems: ACKNOWLEDGED_INCIDENTS_MAX }),
    }),
    response: {
      200: Type.Object({
        items: Type.Array(createActedSchema(IncidentSchema), {
          description: "Without the incidents of which I was not told.",
        }),
      }),
    },
  };
  server.post("/api/app/v1/incidents/acknowledge", { schema }, async (request) => {
    const person = toActingPerson(await deps.authenticate(request), request);
    const items = [];
    for (const incidentId of new Set(request.body.ids)) {
      const order = { ...person, incidentId, kind: "acknowledge", note: null } as const;
      const acted = await actAsPerson(deps, order);
      if (acted !== null) items.push(acted);
    }
    return { items };
  });
}

function toActingPerson({ accountId, session, actor }: Person, { headers }: FastifyRequest) {
  const via = getMeans({ hasSession: session !== null, userAgent: headers["user-agent"] });
  return { accountId, deviceId: null, via, actor } as const;
}

function createNoSuchIncidentError(): AppError {
  return new AppError("not_found", "You were told of no such incident.");
}
