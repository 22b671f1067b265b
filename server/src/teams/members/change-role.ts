import type { Member, TeamRole } from "@tocsin/sdk";
import { showMembers, type ShowTeamDeps } from "../show-team.ts";
import { findMember } from "../store/teams.ts";
import { decideRoleChange, createNoSuchMemberError } from "./member.ts";
import { changeMember, type MemberChangeRequest } from "./store/members.ts";

/**
 * Changes a member's role. If the member may no longer invite, their invitations are revoked. Throws the errors of
 * `decideRoleChange`.
 */
export async function changeRole(
  deps: ShowTeamDeps,
  input: MemberChangeRequest & { readonly memberId: string; readonly role: TeamRole },
): Promise<Member> {
  const { teamId, actorId, actor, memberId, role } = input;
  await changeMember(deps.context, {
    request: { teamId, actorId, actor },
    target: { kind: "member", memberId },
    decide: (facts) => decideRoleChange(facts, role),
  });
  const member = await findMember(deps.context, { teamId, memberId });
  const members = member === null ? [] : [member];
  const [shownMember] = await showMembers(deps, { members, accountId: actorId, isManager: true });
  // The member may have left since.
  if (shownMember === undefined) throw createNoSuchMemberError();
  return shownMember;
}
