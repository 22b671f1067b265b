import type { Member, TeamDetail } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { timestamp } from "#schema/moment.ts";
import { showInvitation } from "./invitations/invitation.ts";
import { listPending } from "./invitations/store.ts";
import { mayManage } from "./members/member.ts";
import { findMembership, listMembers, type PresentMember } from "./store/teams.ts";
import { teamNotFound } from "./team.ts";

export interface ShowTeamDeps {
  readonly context: Context;
  /** Returns how many devices each of at most 500 accounts has; the devices room provides it. */
  readonly countDevices: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Returns when the last device of each of at most 500 accounts recently left, in milliseconds since the epoch. */
  readonly lastLeftAt: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/** The most accounts whose devices are counted in one query. */
const COUNTED_MAX = 500;

/** Returns a team with its members; only managers see its invitations. Throws `not_found`. */
export async function showTeam(
  deps: ShowTeamDeps,
  input: { readonly teamId: string; readonly accountId: string },
): Promise<TeamDetail> {
  const team = await findMembership(deps.context, input);
  if (team === null) throw teamNotFound();
  const members = await showMembers(deps, {
    members: await listMembers(deps.context, team.id),
    accountId: input.accountId,
    isManager: mayManage(team.role),
  });
  const invitations = mayManage(team.role) ? await listPending(deps.context, team.id) : [];
  return { ...team, members, invitations: invitations.map(showInvitation) };
}

export interface Shown {
  readonly members: readonly PresentMember[];
  /** The account of the request. */
  readonly accountId: string;
  /** Plain members see only of themselves when a device left. */
  readonly isManager: boolean;
}

/** Returns the members as the account `accountId` sees them, with the number of their devices. */
export async function showMembers(
  { countDevices, lastLeftAt }: ShowTeamDeps,
  { members, accountId, isManager }: Shown,
): Promise<readonly Member[]> {
  const counts = new Map<string, number>();
  const left = new Map<string, number>();
  for (let start = 0; start < members.length; start += COUNTED_MAX) {
    const some = members.slice(start, start + COUNTED_MAX).map((member) => member.accountId);
    for (const [id, count] of await countDevices(some)) counts.set(id, count);
    const shown = isManager ? some : some.filter((id) => id === accountId);
    for (const [id, at] of await lastLeftAt(shown)) left.set(id, at);
  }
  return members.map((member) => ({
    accountId: member.memberId,
    isMe: member.accountId === accountId,
    email: member.email,
    name: member.name,
    role: member.role,
    deviceCount: counts.get(member.accountId) ?? 0,
    deviceLeftAt: momentOf(left.get(member.accountId)),
  }));
}

function momentOf(at: number | undefined): string | null {
  return at === undefined ? null : timestamp(at);
}
