import { Type } from "#schema/json-schema.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { PageResponse, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { InvitationResponse, MemberResponse, TeamResponse } from "./schemas.ts";
import { createTeam, type CreateTeamDeps } from "./create-team.ts";
import { deleteTeam, type DeleteTeamDeps } from "./delete-team.ts";
import { registerInvitationRoutes, type InvitationRouteDeps } from "./invitations/routes.ts";
import { registerManagementRoutes, type ManagementRouteDeps } from "./management/routes.ts";
import { registerMemberRoutes, type MemberRouteDeps } from "./members/routes.ts";
import {
  registerReceivedInvitationRoutes,
  type ReceivedInvitationRouteDeps,
} from "./received-invitations/routes.ts";
import { renameTeam } from "./rename-team.ts";
import { showTeam } from "./show-team.ts";
import { listMemberships } from "./store/teams.ts";
import { TEAM_NAME_MAX } from "./team.ts";

/** The dependencies of this room's routes. */
export interface TeamRouteDeps
  extends
    CreateTeamDeps,
    DeleteTeamDeps,
    MemberRouteDeps,
    InvitationRouteDeps,
    ReceivedInvitationRouteDeps,
    ManagementRouteDeps {
  readonly authenticate: Authenticate;
}

const tags = ["Teams"];
const TeamParams = Type.Object({ teamId: Type.String() });
const TeamName = VisibleText(TEAM_NAME_MAX);

/** Registers the operations on teams, members and invitations, including the management API. */
export function registerTeamRoutes(server: Server, deps: TeamRouteDeps): void {
  registerList(server, deps);
  registerCreate(server, deps);
  registerShow(server, deps);
  registerRename(server, deps);
  registerDelete(server, deps);
  registerMemberRoutes(server, deps);
  registerInvitationRoutes(server, deps);
  registerReceivedInvitationRoutes(server, deps);
  registerManagementRoutes(server, deps);
}

function registerList(server: Server, { context, authenticate }: TeamRouteDeps): void {
  const schema = {
    operationId: "listTeams",
    summary: "List the teams I am in",
    tags,
    querystring: PageQuery,
    response: { 200: PageResponse(TeamResponse) },
  };
  server.get("/api/app/v1/teams", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { after, limit } = parsePage(request.query);
    return toPage(await listMemberships(context, { accountId, after, limit: limit + 1 }), limit);
  });
}

function registerCreate(server: Server, deps: TeamRouteDeps): void {
  const schema = {
    operationId: "createTeam",
    errorStatuses: [409],
    summary: "Create a team, with me as its owner, and a first team key, which is shown only once",
    tags,
    body: Type.Object({ name: TeamName }),
    response: {
      201: Type.Object({
        id: Type.String(),
        name: Type.String(),
        role: Type.Literal("owner"),
        key: Type.String(),
      }),
    },
  };
  server.post("/api/app/v1/teams", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const team = await createTeam(deps, { accountId, actor, name: request.body.name });
    return reply.code(201).send(team);
  });
}

function registerShow(server: Server, deps: TeamRouteDeps): void {
  const schema = {
    operationId: "getTeam",
    summary: "Show a team with its members; owners and admins see its invitations too",
    tags,
    params: TeamParams,
    response: {
      200: Type.Object({
        ...TeamResponse.properties,
        members: Type.Immutable(Type.Array(MemberResponse)),
        invitations: Type.Immutable(Type.Array(InvitationResponse)),
      }),
    },
  };
  server.get("/api/app/v1/teams/:teamId", { schema }, async (request) => {
    const { accountId } = await deps.authenticate(request);
    return showTeam(deps, { accountId, teamId: request.params.teamId });
  });
}

function registerRename(server: Server, { context, authenticate }: TeamRouteDeps): void {
  const schema = {
    operationId: "updateTeam",
    summary: "Rename a team; for its owners and admins",
    tags,
    params: TeamParams,
    body: Type.Object({ name: TeamName }),
    response: { 200: TeamResponse },
  };
  server.patch("/api/app/v1/teams/:teamId", { schema }, async (request) => {
    const { accountId, actor } = await authenticate(request);
    const { teamId } = request.params;
    return renameTeam(context, { accountId, actor, teamId, name: request.body.name });
  });
}

function registerDelete(server: Server, deps: TeamRouteDeps): void {
  const schema = {
    operationId: "removeTeam",
    summary: "Delete a team with its keys and invitations; for its owners",
    tags,
    params: TeamParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/teams/:teamId", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    await deleteTeam(deps, { accountId, actor, teamId: request.params.teamId });
    return reply.code(204).send(null);
  });
}
