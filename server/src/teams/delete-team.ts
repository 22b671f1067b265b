import type { ForeignStatement } from "#accounts/store/accounts.ts";
import type { Actor } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { requireOwner } from "./members/member.ts";
import { dissolveTeam } from "./members/store/members.ts";
import { findMembership } from "./store/teams.ts";

export interface DeleteTeamDeps {
  readonly context: Context;
  /** Returns the statement that revokes every key of a team. The keys room provides it. */
  readonly teamKeyRevocation: (teamId: string) => ForeignStatement;
  /** Called after a team's members may have changed. Here, all its members and keys are gone. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Deletes a team with its memberships, invitations and keys, in one commit. Notifications that it sent stay in the
 * feeds of its members. Throws `not_found` or `forbidden` unless the account owns the team.
 */
export async function deleteTeam(
  deps: DeleteTeamDeps,
  input: { readonly teamId: string; readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  const { teamId, actor } = input;
  const team = await findMembership(deps.context, input);
  requireOwner(team?.role ?? null);
  const event = { action: "team_deleted", actor, accountId: null, teamId } as const;
  const alongside = [deps.teamKeyRevocation(teamId), auditInsert(deps.context, event)];
  await dissolveTeam(deps.context, { teamId, alongside });
  deps.onTeamChanged(teamId);
}
