import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { deleteTeam, type DeleteTeamDeps } from "./delete-team.ts";
import { listMembers, type PresentMember } from "./store/teams.ts";
import { decideRoleChange } from "./members/member.ts";
import { alterMember } from "./members/store/members.ts";
import { heldAlone, suspendedAmong } from "./store/held.ts";

/** A team whose only owner is an account, with the member who owns it when that account ends. */
export interface SoleOwnedTeam {
  readonly id: string;
  readonly name: string;
  /** Null if it has no other member. */
  readonly heir: PresentMember | null;
}

/** Returns the teams whose only owner is the account, oldest first. */
export async function heldTeams(
  context: Context,
  accountId: string,
): Promise<readonly SoleOwnedTeam[]> {
  const held = await heldAlone(context, accountId);
  return Promise.all(
    held.map(async ({ id, name }) => ({ id, name, heir: await heirOf(context, id, accountId) })),
  );
}

/**
 * Makes the heirs owners of the teams whose only owner is the account, and deletes the teams that have none. Safe to
 * repeat.
 */
export async function handOverTeams(
  deps: DeleteTeamDeps,
  { accountId, by }: { readonly accountId: string; readonly by: Actor },
): Promise<void> {
  for (const { id: teamId, heir } of await heldTeams(deps.context, accountId)) {
    if (heir === null) {
      await deleteTeam(deps, { teamId, accountId, by });
      continue;
    }
    await alterMember(deps.context, {
      // Acts as the owner, who gives the team away.
      asking: { teamId, actorId: accountId, by },
      whom: { kind: "member", memberId: heir.memberId },
      decide: (standing) => decideRoleChange(standing, "owner"),
    });
    deps.onTeamChanged(teamId);
  }
}

/** Returns the longest-standing admin, else the longest-standing member; a suspended account only if there is no other. */
async function heirOf(
  context: Context,
  teamId: string,
  accountId: string,
): Promise<PresentMember | null> {
  const others = (await listMembers(context, teamId)).filter(
    (member) => member.accountId !== accountId,
  );
  const suspended = await suspendedAmong(
    context,
    others.map((member) => member.accountId),
  );
  const rank = (member: PresentMember) =>
    (suspended.has(member.accountId) ? 2 : 0) + (member.role === "admin" ? 0 : 1);
  // The sort is stable: equal ranks stay in the order in which they joined.
  const [heir = null] = others.toSorted((one, other) => rank(one) - rank(other));
  return heir;
}
