import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { deleteTeam, type DeleteTeamDeps } from "./delete-team.ts";
import { listMembers, type PresentMember } from "./store/teams.ts";
import { decideRoleChange } from "./members/member.ts";
import { alterMember } from "./members/store/members.ts";
import { heldAlone, suspendedAmong } from "./store/held.ts";

/** A team whose only owner is an account, and who owns it when that account ends. */
export interface HeldTeam {
  readonly id: string;
  readonly name: string;
  /** Null where nobody else is in it. */
  readonly heir: PresentMember | null;
}

/** Returns the teams whose only owner an account is, oldest first. */
export async function heldTeams(context: Context, accountId: string): Promise<readonly HeldTeam[]> {
  const held = await heldAlone(context, accountId);
  return Promise.all(
    held.map(async ({ id, name }) => ({ id, name, heir: await heirOf(context, id, accountId) })),
  );
}

/** Makes the heirs owners of the teams whose only owner an account is, and ends the teams that have none. Safe to repeat. */
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
      // In the place of its owner, who gives it away.
      asking: { teamId, actorId: accountId, by },
      whom: { kind: "member", memberId: heir.memberId },
      decide: (standing) => decideRoleChange(standing, "owner"),
    });
    deps.onTeamChanged(teamId);
  }
}

/** The longest-standing admin, else the longest-standing member; a suspended account where there is no other. */
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
  // Those of one rank stay in the order in which they joined.
  const [heir = null] = others.toSorted((one, other) => rank(one) - rank(other));
  return heir;
}
