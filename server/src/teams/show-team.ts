import type { Member, TeamDetail } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { showInvitation } from "./invitations/invitation.ts";
import { listPending } from "./invitations/store.ts";
import { mayManage } from "./members/member.ts";
import { findMembership, listMembers, type PresentMember } from "./store.ts";
import { teamNotFound } from "./team.ts";

export interface ShowTeamDeps {
  readonly context: Context;
  /** Returns how many devices each account has; the devices room provides it. */
  readonly countDevices: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/** Returns a team with its people; who does not manage it sees no invitations. Throws `not_found`. */
export async function showTeam(
  deps: ShowTeamDeps,
  input: { readonly teamId: string; readonly accountId: string },
): Promise<TeamDetail> {
  const team = await findMembership(deps.context, input);
  if (team === null) throw teamNotFound();
  const members = await withDevices(deps, await listMembers(deps.context, team.id));
  const invitations = mayManage(team.role) ? await listPending(deps.context, team.id) : [];
  return { ...team, members, invitations: invitations.map(showInvitation) };
}

/** Returns the members with the number of their devices. */
export async function withDevices(
  { countDevices }: ShowTeamDeps,
  members: readonly PresentMember[],
): Promise<readonly Member[]> {
  const counts = await countDevices(members.map((member) => member.accountId));
  return members.map((member) => ({ ...member, deviceCount: counts.get(member.accountId) ?? 0 }));
}
