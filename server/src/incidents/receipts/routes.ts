import type { ActedIncident, IncidentReceipt } from "@tocsin/sdk";
import type { FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import {
  authenticateKey,
  createKeyActor,
  createKeyHook,
  getPrincipal,
  type FindPrincipal,
} from "#http/authenticate.ts";
import type { HeldRequests } from "#http/held-requests.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import { IdParams } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { parseIncidentKey } from "#notifications/interaction-fields.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import { Type } from "#schema/json-schema.ts";
import { findActorName } from "../act-as-person.ts";
import { describeActResult } from "../describe-act-result.ts";
import type { Incident, IncidentSource } from "../incident.ts";
import type { Incidents } from "../incidents.ts";
import { loadReceipt } from "../response.ts";
import { createActedSchema, ReceiptSchema } from "../schemas.ts";
import { findIncident, findOpenIncident } from "../store/incidents.ts";
import { hashIncidentKey } from "../trigger.ts";
import { parseWait, WaitQuery } from "./wait.ts";

/** The dependencies of the routes with which senders read and change their incidents. */
export interface ReceiptRouteDeps {
  readonly context: Context;
  readonly incidents: Incidents;
  readonly findPrincipal: FindPrincipal;
  readonly rateLimit: RateLimiter;
  readonly heldRequests: HeldRequests;
}

const tags = ["Incidents"];
const security = [{ apiKey: [] }];

/** Registers the operations of a key on the incidents that the key or its predecessors in the rotation chain opened. */
export function registerReceiptRoutes(server: Server, deps: ReceiptRouteDeps): void {
  registerReceiptRoute(server, deps);
  registerActRoute(server, deps, "acknowledge");
  registerActRoute(server, deps, "resolve");
}

function registerReceiptRoute(server: Server, deps: ReceiptRouteDeps): void {
  const { context, incidents, findPrincipal, heldRequests } = deps;
  const schema = {
    operationId: "getIncidentReceipt",
    summary: "Show an incident; with `wait`, once somebody has acted or it has expired",
    errorStatuses: [404],
    tags,
    security,
    params: IdParams,
    querystring: WaitQuery,
    response: { 200: ReceiptSchema },
  };
  const onRequest = createKeyHook(deps);
  server.get("/api/v1/incidents/:id", { schema, onRequest }, async (request, reply) => {
    const waitMs = parseWait(request.query.wait) * 1_000;
    const incident = requireOwn(request, await findIncident(context, request.params.id));
    if (waitMs === 0) return loadReceipt(context, incident);
    const { keyId } = getPrincipal(request);
    const condition = isNoLongerTriggered;
    const waited = await heldRequests.hold({ reply, keyId }, (signal) =>
      incidents.waitUntil(incident.id, { condition, waitMs, signal }),
    );
    // The key may have been revoked meanwhile.
    request.principal = await authenticateKey(findPrincipal, request);
    return loadReceipt(context, requireOwn(request, waited));
  });
}

function isNoLongerTriggered({ state }: Incident): boolean {
  return state !== "triggered";
}

function registerActRoute(
  server: Server,
  deps: ReceiptRouteDeps,
  kind: "acknowledge" | "resolve",
): void {
  const { context, incidents, rateLimit } = deps;
  const schema = {
    operationId: `${kind}IncidentByKey`,
    summary:
      kind === "resolve" ? "Resolve an incident of the key" : "Acknowledge an incident of the key",
    errorStatuses: [404],
    tags,
    security,
    body: Type.Object(
      {
        incidentId: Type.Optional(Type.String()),
        incidentKey: Type.Optional(Type.String()),
      },
      { description: "Exactly one of the two." },
    ),
    response: { 200: createActedSchema(ReceiptSchema) },
  };
  const onRequest = createKeyHook(deps);
  server.post(`/api/v1/incidents/${kind}`, { schema, onRequest }, async (request) => {
    const { incidentId = null } = request.body;
    const reference = { incidentId, incidentKey: parseIncidentKey(request.body) };
    const incident = requireOwn(
      request,
      await findByReference(context, toSource(request), reference),
    );
    const principal = getPrincipal(request);
    const { keyId } = principal;
    const actor = createKeyActor(request, principal);
    const act = {
      at: context.now(),
      via: "key",
      accountId: null,
      deviceId: null,
      note: null,
    } as const;
    const order = { incidentId: incident.id, kind, act, actor, content: null };
    const charge = createDeviceCharge((requestCount) => rateLimit.take(keyId, requestCount));
    const result = await incidents.act(order, { keyId, charge });
    if (result === null) throw createNoSuchIncidentError();
    const acted: ActedIncident<IncidentReceipt> = {
      isChanged: result.isChanged,
      message: describeActResult(kind, result, await findActorName(context, result)),
      incident: await loadReceipt(context, result.incident),
    };
    return acted;
  });
}

interface IncidentReference {
  readonly incidentId: string | null;
  readonly incidentKey: string | null;
}

async function findByReference(
  context: Context,
  source: IncidentSource,
  { incidentId, incidentKey }: IncidentReference,
): Promise<Incident | null> {
  if ((incidentId === null) === (incidentKey === null))
    throw invalidField("incidentKey", "Name the incident by incidentKey or by incidentId.");
  if (incidentId !== null) return findIncident(context, incidentId);
  return findOpenIncident(context, { source, keyHash: hashIncidentKey(incidentKey ?? "") });
}

function toSource(request: FastifyRequest): IncidentSource {
  return { kind: "key", id: getPrincipal(request).firstKeyId };
}

/** Returns an incident of the key. Throws the same error for a missing incident, another key's and one of a prompt. */
function requireOwn(request: FastifyRequest, incident: Incident | null): Incident {
  const isOwn = incident?.source.id === toSource(request).id;
  if (incident !== null && incident.question === null && isOwn) return incident;
  throw createNoSuchIncidentError();
}

function createNoSuchIncidentError(): AppError {
  return new AppError("not_found", "This key has no such incident.");
}
