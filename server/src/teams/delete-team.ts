import type { ForeignStatement } from "#accounts/store/accounts.ts";
import type { Actor } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { requireOwner } from "./members/member.ts";
import { dissolveTeam } from "./members/store/members.ts";
import { findMembership } from "./store/teams.ts";

export interface DeleteTeamDeps {
  readonly context: Context;
  /** The statement that revokes every key of a team; the keys room provides it. */
  readonly teamKeyRevocation: (teamId: string) => ForeignStatement;
  /** Called after a team's members may have changed; here its members and keys are all gone. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Deletes a team: memberships, invitations and keys go in one commit. Notifications it sent stay in the feeds of its
 * members. Throws `not_found` or `forbidden` unless the account owns it.
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
