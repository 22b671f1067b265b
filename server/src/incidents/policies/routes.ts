import type { Context } from "#context.ts";
import { NAME_LENGTH_MAX } from "#devices/device.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { parsePage, PageQuery, toPage } from "#http/page.ts";
import { IdParams, PageResponse, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { isManager } from "#teams/store/teams.ts";
import { createNoSuchPolicyError, findManager } from "./manager.ts";
import type { EscalationPolicy, PolicyOwner } from "./policy.ts";
import { toPolicyResponses } from "./response.ts";
import { changePolicy, createPolicy } from "./write-policy.ts";
import { PolicySchema, ReminderSchema, StepsSchema } from "./schemas.ts";
import { deletePolicy, listPolicies } from "./store/policies.ts";

/** The dependencies of the routes for escalation policies. */
export interface PolicyRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Whether the server can send emails. */
  readonly sendsMail: boolean;
}

const PolicyName = VisibleText(NAME_LENGTH_MAX);

const tags = ["Escalation policies"];

/** Registers the operations on the escalation policies of an account and of the teams that it manages. */
export function registerPolicyRoutes(server: Server, deps: PolicyRouteDeps): void {
  registerList(server, deps);
  registerCreate(server, deps);
  registerUpdate(server, deps);
  registerRemove(server, deps);
}

function registerList(server: Server, deps: PolicyRouteDeps): void {
  const schema = {
    operationId: "listEscalationPolicies",
    summary: "List my escalation policies and those of the teams I manage",
    tags,
    querystring: PageQuery,
    response: { 200: PageResponse(PolicySchema) },
  };
  server.get("/api/app/v1/escalation-policies", { schema }, async (request) => {
    const { accountId } = await deps.authenticate(request);
    const { after, limit } = parsePage(request.query);
    const manager = await findManager(deps.context, accountId);
    const policies = await listPolicies(deps.context, { manager, after, limit: limit + 1 });
    return toPage(await toPolicyResponses(deps, { policies, readerId: accountId }), limit);
  });
}

function registerCreate(server: Server, deps: PolicyRouteDeps): void {
  const schema = {
    operationId: "createEscalationPolicy",
    errorStatuses: [404, 409],
    summary: "Create an escalation policy",
    description:
      "A policy of a team needs a team of which I am an owner or admin. A group or device in it is mine.",
    tags,
    body: Type.Object({
      teamId: Type.Optional(Type.String({ description: "Omitted for my own policy." })),
      name: PolicyName,
      steps: StepsSchema,
      remindAfterSeconds: Type.Optional(ReminderSchema),
    }),
    response: { 201: PolicySchema },
  };
  server.post("/api/app/v1/escalation-policies", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { teamId, name, steps, remindAfterSeconds = null } = request.body;
    const owner = await requireOwner(deps, { accountId, teamId });
    const policy = await createPolicy(deps.context, {
      owner,
      writerId: accountId,
      request: { name, steps, remindAfterSeconds },
      actor,
    });
    return reply.code(201).send(await toOneResponse(deps, policy, accountId));
  });
}

function registerUpdate(server: Server, deps: PolicyRouteDeps): void {
  const schema = {
    operationId: "updateEscalationPolicy",
    errorStatuses: [409],
    summary: "Rename an escalation policy, or replace its steps or its reminder",
    description:
      "An incident that is open already keeps the policy as it was. Steps of a team may keep groups and devices of other members, but add only mine.",
    tags,
    params: IdParams,
    body: Type.Object({
      name: Type.Optional(PolicyName),
      steps: Type.Optional(StepsSchema),
      remindAfterSeconds: Type.Optional(ReminderSchema),
    }),
    response: { 200: PolicySchema },
  };
  server.patch("/api/app/v1/escalation-policies/:id", { schema }, async (request) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { name, steps, remindAfterSeconds } = request.body;
    const policy = await changePolicy(deps.context, {
      manager: await findManager(deps.context, accountId),
      policyId: request.params.id,
      request: {
        ...(name === undefined ? {} : { name }),
        ...(steps === undefined ? {} : { steps }),
        ...(remindAfterSeconds === undefined ? {} : { remindAfterSeconds }),
      },
      actor,
    });
    if (policy === null) throw createNoSuchPolicyError();
    return toOneResponse(deps, policy, accountId);
  });
}

function registerRemove(server: Server, deps: PolicyRouteDeps): void {
  const schema = {
    operationId: "removeEscalationPolicy",
    summary: "Delete an escalation policy; keys that use it have none afterwards",
    tags,
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/escalation-policies/:id", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const manager = await findManager(deps.context, accountId);
    const policyId = request.params.id;
    const isDeleted = await deletePolicy(deps.context, { manager, policyId, actor });
    if (!isDeleted) throw createNoSuchPolicyError();
    return reply.code(204).send(null);
  });
}

/** Throws the same error for another account's team as for a missing one. */
async function requireOwner(
  { context }: PolicyRouteDeps,
  { accountId, teamId }: { readonly accountId: string; readonly teamId: string | undefined },
): Promise<PolicyOwner> {
  if (teamId === undefined) return { kind: "account", accountId };
  if (await isManager(context, { teamId, accountId })) return { kind: "team", teamId };
  throw new AppError("not_found", "You do not manage a team with this id.");
}

async function toOneResponse(deps: PolicyRouteDeps, policy: EscalationPolicy, readerId: string) {
  const [response] = await toPolicyResponses(deps, { policies: [policy], readerId });
  // There is one response for each policy.
  return response ?? Promise.reject(createNoSuchPolicyError());
}
