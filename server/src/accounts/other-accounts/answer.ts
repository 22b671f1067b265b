import { timestamp } from "#schema/moment.ts";
import type {
  ListedAccount as ListedAccountAnswer,
  ResetLink as ResetLinkAnswer,
} from "@tocsin/sdk";
import type { ResetLink } from "./reset-link.ts";
import type { ListedAccount } from "./store.ts";

/** Returns the number of devices or teams of up to 200 accounts. The rooms of both provide it. */
export type CountByAccount = (
  accountIds: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

/** The counts per account that other rooms provide. */
export interface AccountCounts {
  readonly countDevices: CountByAccount;
  readonly countTeams: CountByAccount;
}

/** Converts at most 200 accounts to the form that administrators see. */
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

/** Converts a reset link to the form that its creator sees. */
export function resetLinkAnswer({ link, expiresAt }: ResetLink): ResetLinkAnswer {
  return { link, expiresAt: timestamp(expiresAt) };
}
