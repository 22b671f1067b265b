import { timestamp } from "#schema/moment.ts";
import type {
  ListedAccount as ListedAccountAnswer,
  ResetLink as ResetLinkAnswer,
} from "@tocsin/sdk";
import type { ResetLink } from "./reset-link.ts";
import type { ListedAccount } from "./store.ts";

/** Returns the number of devices, or teams, of each of at most 200 accounts; the rooms of both provide it. */
export type CountByAccount = (
  accountIds: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

/** The facts about an account that other rooms know. */
export interface AccountCounts {
  readonly countDevices: CountByAccount;
  readonly countTeams: CountByAccount;
}

/** Returns at most 200 accounts as administrators see them. */
export async function listedAccountAnswers(
  { countDevices, countTeams }: AccountCounts,
  accounts: readonly ListedAccount[],
): Promise<ListedAccountAnswer[]> {
  const ids = accounts.map(({ id }) => id);
  const [devices, teams] = await Promise.all([countDevices(ids), countTeams(ids)]);
  return accounts.map(({ createdAt, lastSeenAt, suspendedAt, ...account }) => ({
    ...account,
    createdAt: timestamp(createdAt),
    lastSeenAt: lastSeenAt === null ? null : timestamp(lastSeenAt),
    suspendedAt: suspendedAt === null ? null : timestamp(suspendedAt),
    deviceCount: devices.get(account.id) ?? 0,
    teamCount: teams.get(account.id) ?? 0,
  }));
}

/** Returns a link as the administrator who made it sees it. */
export function resetLinkAnswer({ link, expiresAt }: ResetLink): ResetLinkAnswer {
  return { link, expiresAt: timestamp(expiresAt) };
}
