import type { Member, TeamRole } from "@tocsin/sdk";
import { showMembers, type ShowTeamDeps } from "../show-team.ts";
import { findMember } from "../store/teams.ts";
import { decideRoleChange, memberNotFound } from "./member.ts";
import { alterMember, type Asking } from "./store/members.ts";

/**
 * Changes a member's role; a member who can no longer invite loses the invitations they made. Throws `not_found`,
 * `forbidden` or `last_owner`.
 */
export async function changeRole(
  deps: ShowTeamDeps,
  input: Asking & { readonly memberId: string; readonly role: TeamRole },
): Promise<Member> {
  const { teamId, actorId, by, memberId, role } = input;
  await alterMember(deps.context, {
    asking: { teamId, actorId, by },
    whom: { kind: "member", memberId },
    decide: (standing) => decideRoleChange(standing, role),
  });
  const member = await findMember(deps.context, { teamId, memberId });
  const members = member === null ? [] : [member];
  const [shown] = await showMembers(deps, { members, accountId: actorId, isManager: true });
  // The member may have left since.
  if (shown === undefined) throw memberNotFound();
  return shown;
}
