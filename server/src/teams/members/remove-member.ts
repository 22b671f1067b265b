import type { Context } from "#context.ts";
import { decideRemoval } from "./member.ts";
import { alterMember, type Asking, type Whom } from "./store/members.ts";

export interface RemoveMemberDeps {
  readonly context: Context;
  /** Called after a team's members may have changed. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Ends a membership, and revokes the invitations that the member made; removing oneself is leaving. Throws `not_found`,
 * `forbidden` or `last_owner`.
 */
export async function removeMember(
  deps: RemoveMemberDeps,
  { memberId, ...asking }: Asking & { readonly memberId: string },
): Promise<void> {
  await endMembership(deps, { asking, whom: { kind: "member", memberId } });
}

/** Ends one's own membership; throws `not_found` or `last_owner`. */
export async function leaveTeam(deps: RemoveMemberDeps, asking: Asking): Promise<void> {
  await endMembership(deps, { asking, whom: { kind: "self" } });
}

async function endMembership(
  deps: RemoveMemberDeps,
  { asking, whom }: { readonly asking: Asking; readonly whom: Whom },
): Promise<void> {
  await alterMember(deps.context, { asking, whom, decide: decideRemoval });
  deps.onTeamChanged(asking.teamId);
}
