import type { JoinedStatement } from "#accounts/store/accounts.ts";
import type { Actor } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { requireOwner } from "./members/member.ts";
import { dissolveTeam } from "./members/store/members.ts";
import { findMembership } from "./store/teams.ts";

/** The dependencies of `deleteTeam`. */
export interface DeleteTeamDeps {
  readonly context: Context;
  /** Returns the statements of other rooms that end what belongs to a team, such as its keys. */
  readonly createTeamEndQueries: (teamId: string) => readonly JoinedStatement[];
  /** Called after a team's members may have changed. After a deletion, the team has no members and no valid keys. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Deletes a team in one commit: ends its memberships, revokes its invitations, and ends what belongs to it in other
 * rooms, such as its keys. Its notifications stay in the feeds of its former members. Throws `not_found` or `forbidden`
 * unless the account owns the team.
 */
export async function deleteTeam(
  deps: DeleteTeamDeps,
  input: { readonly teamId: string; readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  const { teamId, actor } = input;
  const team = await findMembership(deps.context, input);
  requireOwner(team?.role ?? null);
  const event = { action: "team_deleted", actor, accountId: null, teamId } as const;
  const joinedStatements = [
    ...deps.createTeamEndQueries(teamId),
    insertEventQuery(deps.context, event),
  ];
  await dissolveTeam(deps.context, { teamId, joinedStatements });
  deps.onTeamChanged(teamId);
}
