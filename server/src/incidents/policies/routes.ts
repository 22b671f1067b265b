import { ACCOUNT_TARGET_KINDS, LIMITS, TEAM_TARGET_KINDS } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { NAME_LENGTH_MAX } from "#devices/device.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { parsePage, PageQuery, toPage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse, Timestamp, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import { MEMBER_ID_DESCRIPTION } from "#teams/schemas.ts";
import { isManager, listManagedTeamIds } from "#teams/store/teams.ts";
import type { EscalationPolicy, PolicyManager, PolicyOwner } from "./policy.ts";
import { toPolicyResponses } from "./response.ts";
import { changePolicy, createPolicy } from "./save.ts";
import { deletePolicy, listPolicies } from "./store/policies.ts";

/** The dependencies of the routes for escalation policies. */
export interface PolicyRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Whether the server can send emails. */
  readonly sendsMail: boolean;
}

const tags = ["Escalation policies"];

const PolicyName = VisibleText(NAME_LENGTH_MAX);

const AfterSeconds = addDocumentedKeywords(
  Type.Integer({ description: "Seconds from the trigger of the incident." }),
  { minimum: 0, maximum: LIMITS.escalationSecondsMax },
);

const Reminder = Nullable(
  addDocumentedKeywords(
    Type.Integer({
      description:
        "Seconds from an acknowledgement until an incident that is not resolved rings again.",
    }),
    { minimum: LIMITS.remindSecondsMin, maximum: LIMITS.remindSecondsMax },
  ),
);

const documentTarget = (kinds: readonly string[], idName: string | null, description: string) => ({
  type: "object",
  description,
  required: idName === null ? ["kind"] : ["kind", idName],
  properties: {
    kind: { enum: kinds },
    ...(idName === null ? {} : { [idName]: { type: "string", minLength: 1, maxLength: 64 } }),
  },
  additionalProperties: false,
});

/** The schema of the steps in a request. Only the document shows it: `parseSteps` names the wrong part more exactly. */
const StepsSchema = addDocumentedKeywords(
  Type.Unsafe<unknown>({
    description:
      "The first step is at 0 seconds, and each further one later than the step before it.",
  }),
  {
    type: "array",
    minItems: 1,
    maxItems: LIMITS.escalationSteps,
    items: {
      type: "object",
      required: ["afterSeconds", "targets"],
      additionalProperties: false,
      properties: {
        afterSeconds: { type: "integer", minimum: 0, maximum: LIMITS.escalationSecondsMax },
        targets: {
          type: "array",
          minItems: 1,
          maxItems: LIMITS.escalationTargetsPerStep,
          uniqueItems: true,
          items: {
            anyOf: [
              documentTarget(["group"], "groupId", "One of my device groups."),
              documentTarget(["device"], "deviceId", "One of my devices."),
              documentTarget(["me"], null, "All my devices, in my own policies."),
              documentTarget(["member"], "accountId", "A member, in policies of a team."),
              documentTarget(["team"], null, "All members, in policies of a team."),
              documentTarget(["mail"], "accountId", "An email to a member of the team."),
              documentTarget(["mail"], null, "An email to me."),
              documentTarget(["callback"], null, "The callback URL of the send."),
            ],
          },
        },
      },
    },
  },
);

const TargetFields = {
  kind: Type.Enum([...new Set([...ACCOUNT_TARGET_KINDS, ...TEAM_TARGET_KINDS])]),
  groupId: Type.Optional(Type.String()),
  deviceId: Type.Optional(Type.String()),
  accountId: Type.Optional(Type.String({ description: MEMBER_ID_DESCRIPTION })),
};

const ReachedTargetSchema = Type.Object({
  ...TargetFields,
  name: Nullable(
    Type.String({
      description:
        "The name of the group, device, person or team; null also for those of another member.",
    }),
  ),
  ownerName: Type.Optional(
    Type.String({
      description: "The member to whom the group or device in a policy of a team belongs.",
    }),
  ),
  missing: Type.Boolean({ description: "The group, device or member no longer exists." }),
  deviceCount: Type.Integer({ description: "The devices that it would ring now." }),
  personCount: Type.Integer({ description: "The people that it would reach now." }),
  reachesNobody: Type.Boolean({ description: "It would reach nobody now." }),
});

const PolicyFields = {
  remindAfterSeconds: Reminder,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

const PolicyResponse = Type.Object({
  id: Type.String(),
  teamId: Nullable(Type.String({ description: "Null for my own policy." })),
  name: Type.String(),
  steps: Type.Array(
    Type.Object({ afterSeconds: AfterSeconds, targets: Type.Array(ReachedTargetSchema) }),
  ),
  ...PolicyFields,
});

/** The schema of a policy in the export of an account. */
export const ExportedPolicyResponse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  steps: Type.Array(
    Type.Object({ afterSeconds: AfterSeconds, targets: Type.Array(Type.Object(TargetFields)) }),
  ),
  ...PolicyFields,
});

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
    response: { 200: PageResponse(PolicyResponse) },
  };
  server.get("/api/app/v1/escalation-policies", { schema }, async (request) => {
    const { accountId } = await deps.authenticate(request);
    const { after, limit } = parsePage(request.query);
    const manager = await findManager(deps, accountId);
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
      remindAfterSeconds: Type.Optional(Reminder),
    }),
    response: { 201: PolicyResponse },
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
      remindAfterSeconds: Type.Optional(Reminder),
    }),
    response: { 200: PolicyResponse },
  };
  server.patch("/api/app/v1/escalation-policies/:id", { schema }, async (request) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { name, steps, remindAfterSeconds } = request.body;
    const policy = await changePolicy(deps.context, {
      manager: await findManager(deps, accountId),
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
    const manager = await findManager(deps, accountId);
    const policyId = request.params.id;
    const isDeleted = await deletePolicy(deps.context, { manager, policyId, actor });
    if (!isDeleted) throw createNoSuchPolicyError();
    return reply.code(204).send(null);
  });
}

async function findManager(
  { context }: PolicyRouteDeps,
  accountId: string,
): Promise<PolicyManager> {
  return { accountId, teamIds: await listManagedTeamIds(context, accountId) };
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

/** Returns the same error for another owner's policy as for a missing one. */
function createNoSuchPolicyError(): AppError {
  return new AppError("not_found", "You have no such escalation policy.");
}
