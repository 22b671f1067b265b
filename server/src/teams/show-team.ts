import type { Member, TeamDetail } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { toInvitationResponse } from "./invitations/invitation.ts";
import { listPendingInvitations } from "./invitations/store.ts";
import { canManage } from "./members/member.ts";
import { findMembership, listMembers, type CurrentMember } from "./store/teams.ts";
import { createNoSuchTeamError } from "./team.ts";

/** The dependencies of `showTeam` and `showMembers`. */
export interface ShowTeamDeps {
  readonly context: Context;
  /** Returns the number of devices of up to 500 accounts. The devices room provides it. */
  readonly countDevices: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /**
   * Returns the latest time at which a device of each of up to 500 accounts left, in milliseconds since the epoch.
   * Leaves out accounts of which no device left recently.
   */
  readonly findLastLeftAt: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/** Maximum number of accounts in one query. */
const ACCOUNTS_MAX = 500;

/**
 * Returns a team with its members; only managers see its invitations. Throws `not_found` for an account outside the
 * team.
 */
export async function showTeam(
  deps: ShowTeamDeps,
  input: { readonly teamId: string; readonly accountId: string },
): Promise<TeamDetail> {
  const team = await findMembership(deps.context, input);
  if (team === null) throw createNoSuchTeamError();
  const members = await showMembers(deps, {
    members: await listMembers(deps.context, team.id),
    accountId: input.accountId,
    isManager: canManage(team.role),
  });
  const invitations = canManage(team.role)
    ? await listPendingInvitations(deps.context, team.id)
    : [];
  return { ...team, members, invitations: invitations.map(toInvitationResponse) };
}

/** Team members, and the account that sees them. */
export interface MembersToShow {
  readonly members: readonly CurrentMember[];
  /** The account of the request. */
  readonly accountId: string;
  /** Whether the account manages the team. Plain members see only their own `deviceLeftAt`. */
  readonly isManager: boolean;
}

/** Returns the members, with their number of devices, as the account `accountId` sees them. */
export async function showMembers(
  { countDevices, findLastLeftAt }: ShowTeamDeps,
  { members, accountId, isManager }: MembersToShow,
): Promise<readonly Member[]> {
  const counts = new Map<string, number>();
  const leftAtByAccount = new Map<string, number>();
  for (let start = 0; start < members.length; start += ACCOUNTS_MAX) {
    const batch = members.slice(start, start + ACCOUNTS_MAX).map((member) => member.accountId);
    for (const [id, count] of await countDevices(batch)) counts.set(id, count);
    const visibleIds = isManager ? batch : batch.filter((id) => id === accountId);
    for (const [id, at] of await findLastLeftAt(visibleIds)) leftAtByAccount.set(id, at);
  }
  return members.map((member) => ({
    accountId: member.memberId,
    isMe: member.accountId === accountId,
    email: member.email,
    name: member.name,
    role: member.role,
    deviceCount: counts.get(member.accountId) ?? 0,
    deviceLeftAt: toTimestampOrNull(leftAtByAccount.get(member.accountId)),
  }));
}

function toTimestampOrNull(time: number | undefined): string | null {
  return time === undefined ? null : formatTimestamp(time);
}
