import type { Context } from "#context.ts";
import { decideRemoval } from "./member.ts";
import { changeMember, type MemberChangeRequest, type MemberTarget } from "./store/members.ts";

/** The dependencies of the functions that end a membership. */
export interface RemoveMemberDeps {
  readonly context: Context;
  /** Called after a team's members may have changed. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Ends a membership, and revokes the member's invitations. An account that removes itself leaves the team. Throws the
 * errors of `decideRemoval`.
 */
export async function removeMember(
  deps: RemoveMemberDeps,
  { memberId, ...request }: MemberChangeRequest & { readonly memberId: string },
): Promise<void> {
  await endMembership(deps, { request, target: { kind: "member", memberId } });
}

/**
 * Ends the account's own membership. Throws `not_found` if the account is not in the team, and `last_owner` if the team
 * would lose its only owner.
 */
export async function leaveTeam(
  deps: RemoveMemberDeps,
  request: MemberChangeRequest,
): Promise<void> {
  await endMembership(deps, { request, target: { kind: "self" } });
}

async function endMembership(
  deps: RemoveMemberDeps,
  { request, target }: { readonly request: MemberChangeRequest; readonly target: MemberTarget },
): Promise<void> {
  await changeMember(deps.context, { request, target, decide: decideRemoval });
  deps.onTeamChanged(request.teamId);
}
