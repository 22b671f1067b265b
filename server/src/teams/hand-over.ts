import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { deleteTeam, type DeleteTeamDeps } from "./delete-team.ts";
import { listMembers, type CurrentMember } from "./store/teams.ts";
import { decideRoleChange } from "./members/member.ts";
import { changeMember } from "./members/store/members.ts";
import { findSoleOwnedTeams } from "./store/sole-owned-teams.ts";
import { findSuspendedAccounts } from "./store/suspended-accounts.ts";

/** A team whose only owner is an account, and the member who becomes its owner when that account is deleted. */
export interface SoleOwnedTeam {
  readonly id: string;
  readonly name: string;
  /** Null if the team has no other member. */
  readonly heir: CurrentMember | null;
}

/** Returns the teams whose only owner is the account, oldest first. */
export async function findTeamsToHandOver(
  context: Context,
  accountId: string,
): Promise<readonly SoleOwnedTeam[]> {
  const teams = await findSoleOwnedTeams(context, accountId);
  return Promise.all(
    teams.map(async ({ id, name }) => ({ id, name, heir: await findHeir(context, id, accountId) })),
  );
}

/**
 * Makes the heirs owners of the teams whose only owner is the account, and deletes teams without an heir. Safe to
 * repeat.
 */
export async function handOverTeams(
  deps: DeleteTeamDeps,
  { accountId, actor }: { readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  for (const { id: teamId, heir } of await findTeamsToHandOver(deps.context, accountId)) {
    if (heir === null) {
      await deleteTeam(deps, { teamId, accountId, actor });
      continue;
    }
    await changeMember(deps.context, {
      // The change is made by the owner, who may make others owners.
      request: { teamId, actorId: accountId, actor },
      target: { kind: "member", memberId: heir.memberId },
      decide: (facts) => decideRoleChange(facts, "owner"),
    });
    deps.onTeamChanged(teamId);
  }
}

/**
 * Returns the longest-standing other admin, otherwise the longest-standing other member; null if there is none. Returns
 * a suspended account only if there is no other.
 */
async function findHeir(
  context: Context,
  teamId: string,
  accountId: string,
): Promise<CurrentMember | null> {
  const otherMembers = (await listMembers(context, teamId)).filter(
    (member) => member.accountId !== accountId,
  );
  const suspendedIds = await findSuspendedAccounts(
    context,
    otherMembers.map((member) => member.accountId),
  );
  const rank = (member: CurrentMember) =>
    (suspendedIds.has(member.accountId) ? 2 : 0) + (member.role === "admin" ? 0 : 1);
  // The sort is stable: equal ranks stay in the order in which they joined.
  const [heir = null] = otherMembers.toSorted((one, other) => rank(one) - rank(other));
  return heir;
}
