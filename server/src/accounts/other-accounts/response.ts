import { formatTimestamp } from "#schema/timestamp.ts";
import type {
  ListedAccount as ListedAccountResponse,
  ResetLink as ResetLinkResponse,
} from "@tocsin/sdk";
import type { ResetLink } from "./reset-link.ts";
import type { ListedAccount } from "./store.ts";

/** Returns the numbers of devices or teams of up to 200 accounts, by account id. The room of either provides it. */
export type CountByAccount = (
  accountIds: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

/** The counts per account that other rooms provide. */
export interface AccountCounts {
  readonly countDevices: CountByAccount;
  readonly countTeams: CountByAccount;
}

/** Converts at most 200 accounts to the form that administrators see. */
export async function toListedAccountResponses(
  { countDevices, countTeams }: AccountCounts,
  accounts: readonly ListedAccount[],
): Promise<ListedAccountResponse[]> {
  const ids = accounts.map(({ id }) => id);
  const [deviceCounts, teamCounts] = await Promise.all([countDevices(ids), countTeams(ids)]);
  return accounts.map(({ createdAt, lastSeenAt, suspendedAt, ...account }) => ({
    ...account,
    createdAt: formatTimestamp(createdAt),
    lastSeenAt: lastSeenAt === null ? null : formatTimestamp(lastSeenAt),
    suspendedAt: suspendedAt === null ? null : formatTimestamp(suspendedAt),
    deviceCount: deviceCounts.get(account.id) ?? 0,
    teamCount: teamCounts.get(account.id) ?? 0,
  }));
}

/** Converts a reset link to the form that its creator sees. */
export function toResetLinkResponse({ link, expiresAt }: ResetLink): ResetLinkResponse {
  return { link, expiresAt: formatTimestamp(expiresAt) };
}
