import { ACCESS_TOKENS_MAX } from "#accounts/access-tokens/issue.ts";
import { accountsWithAccessTokens } from "#accounts/access-tokens/store.ts";
import { findListedAccounts } from "#accounts/supervision/store.ts";
import type { Context } from "#context.ts";
import { accountsWithDevices, accountsWithGroups } from "#devices/store/counts.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { GROUPS_MAX } from "#devices/groups/group.ts";
import { accountsWithKeys } from "#keys/store/counts.ts";
import { KEYS_MAX } from "#keys/issue.ts";
import { accountsWithTeams } from "#teams/store/counts.ts";
import { TEAMS_MAX } from "#teams/create-team.ts";

/** Everything that an account has a limit on. */
export const LIMITS = ["devices", "groups", "keys", "accessTokens", "teams"] as const;

/** The name of a limit. */
export type LimitName = (typeof LIMITS)[number];

/** An account that uses most of a limit. */
export interface NearLimit {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly limit: LimitName;
  readonly used: number;
  readonly most: number;
}

interface Limited {
  readonly most: number;
  readonly count: (context: Context, least: number) => Promise<ReadonlyMap<string, number>>;
}

const LIMITED: Readonly<Record<LimitName, Limited>> = {
  devices: { most: DEVICES_MAX, count: accountsWithDevices },
  groups: { most: GROUPS_MAX, count: accountsWithGroups },
  keys: { most: KEYS_MAX, count: accountsWithKeys },
  accessTokens: { most: ACCESS_TOKENS_MAX, count: accountsWithAccessTokens },
  teams: { most: TEAMS_MAX, count: accountsWithTeams },
};

/** An account is near a limit from this part of it on. */
const NEAR = 0.8;
const TOLD_MAX = 200;

/** Returns at most 200 accounts that use four fifths or more of a limit, nearest to it first. */
export async function nearLimits(context: Context): Promise<readonly NearLimit[]> {
  const found = await Promise.all(LIMITS.map(async (limit) => usersOf(context, limit)));
  const users = found
    .flat()
    .toSorted((one, other) => other.used / other.most - one.used / one.most)
    .slice(0, TOLD_MAX);
  const ids = [...new Set(users.map(({ accountId }) => accountId))];
  const accounts = await findListedAccounts(context, ids);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return users.flatMap((user) => {
    const account = byId.get(user.accountId);
    if (account === undefined) return [];
    return [{ ...user, name: account.name, email: account.email }];
  });
}

async function usersOf(context: Context, limit: LimitName) {
  const { most, count } = LIMITED[limit];
  const counts = await count(context, Math.ceil(most * NEAR));
  return [...counts].map(([accountId, used]) => ({ accountId, limit, used, most }));
}
