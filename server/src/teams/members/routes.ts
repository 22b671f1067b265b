import { Type } from "#schema/json-schema.ts";
import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { MEMBER_ID_DESCRIPTION, MemberResponse, Role } from "../schemas.ts";
import type { ShowTeamDeps } from "../show-team.ts";
import { changeRole } from "./change-role.ts";
import { leaveTeam, removeMember, type RemoveMemberDeps } from "./remove-member.ts";

/** The dependencies of the routes for team members. */
export interface MemberRouteDeps extends ShowTeamDeps, RemoveMemberDeps {
  readonly authenticate: Authenticate;
}

const tags = ["Teams"];
const MemberParams = Type.Object({
  teamId: Type.String(),
  accountId: Type.String({ description: MEMBER_ID_DESCRIPTION }),
});

/** Registers the operations on the members of a team. */
export function registerMemberRoutes(server: Server, deps: MemberRouteDeps): void {
  registerRoleChange(server, deps);
  registerRemove(server, deps);
  registerLeave(server, deps);
}

function registerRoleChange(server: Server, deps: MemberRouteDeps): void {
  const schema = {
    operationId: "updateMember",
    errorStatuses: [409],
    summary: "Change the role of a member; only owners make owners or change them",
    tags,
    params: MemberParams,
    body: Type.Object({ role: Role }),
    response: { 200: MemberResponse },
  };
  const path = "/api/app/v1/teams/:teamId/members/:accountId";
  server.patch(path, { schema }, async (request) => {
    const { accountId: actorId, actor } = await deps.authenticate(request);
    const { teamId, accountId: memberId } = request.params;
    return changeRole(deps, { teamId, actorId, actor, memberId, role: request.body.role });
  });
}

function registerRemove(server: Server, deps: MemberRouteDeps): void {
  const schema = {
    operationId: "removeMember",
    errorStatuses: [409],
    summary: "Remove a member; only owners remove owners",
    tags,
    params: MemberParams,
    response: { 204: Type.Null() },
  };
  const path = "/api/app/v1/teams/:teamId/members/:accountId";
  server.delete(path, { schema }, async (request, reply) => {
    const { accountId: actorId, actor } = await deps.authenticate(request);
    const { teamId, accountId: memberId } = request.params;
    await removeMember(deps, { teamId, actorId, actor, memberId });
    return reply.code(204).send(null);
  });
}

function registerLeave(server: Server, deps: MemberRouteDeps): void {
  const schema = {
    operationId: "leaveTeam",
    errorStatuses: [409],
    summary: "Leave a team; its last owner cannot",
    tags,
    params: Type.Object({ teamId: Type.String() }),
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/teams/:teamId/leave", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { teamId } = request.params;
    await leaveTeam(deps, { teamId, actorId: accountId, actor });
    return reply.code(204).send(null);
  });
}
