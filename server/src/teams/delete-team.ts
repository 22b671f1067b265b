import type { Actor } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { requireOwner } from "./members/member.ts";
import { dissolveTeam } from "./members/store/members.ts";
import { findMembership, type ForeignStatement } from "./store/teams.ts";

export interface DeleteTeamDeps {
  readonly context: Context;
  /** The statement that revokes every key of a team; the keys room provides it. */
  readonly teamKeyRevocation: (teamId: string) => ForeignStatement;
  /** Told after the members of a team may have changed; here they and its keys are all gone. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Ends a team: memberships, invitations and keys go in one commit. What it sent stays in the feeds of those who
 * were in it. Throws `not_found` or `forbidden` for those who do not own it.
 */
export async function deleteTeam(
  deps: DeleteTeamDeps,
  input: { readonly teamId: string; readonly accountId: string; readonly by: Actor },
): Promise<void> {
  const { teamId, by } = input;
  const team = await findMembership(deps.context, input);
  requireOwner(team?.role ?? null);
  const event = { action: "team_deleted", by, accountId: null, teamId } as const;
  const alongside = [deps.teamKeyRevocation(teamId), auditInsert(deps.context, event)];
  await dissolveTeam(deps.context, { teamId, alongside });
  deps.onTeamChanged(teamId);
}
