import { findListedAccounts } from "#accounts/supervision/store.ts";
import type { Context } from "#context.ts";

/** Everything that an account has a limit on. */
export const LIMIT_NAMES = ["devices", "groups", "keys", "accessTokens", "teams"] as const;

/** The name of a limit. */
export type LimitName = (typeof LIMIT_NAMES)[number];

/** An account that uses most of a limit. */
export interface NearLimit {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly limit: LimitName;
  readonly used: number;
  readonly most: number;
}

/** A limit, and the accounts that use at least so much of it. */
interface Limited {
  readonly most: number;
  readonly count: (context: Context, least: number) => Promise<ReadonlyMap<string, number>>;
}

/** Limits of an account; the rooms that set them count as well. */
export type Limits = Readonly<Record<LimitName, Limited>>;

/** The dependencies of finding accounts near a limit. */
export interface LimitDeps {
  readonly context: Context;
  readonly limits: Limits;
}

/** An account is near a limit from this part of it on. */
const NEAR = 0.8;
const TOLD_MAX = 200;

/** Returns at most 200 accounts that use four fifths or more of a limit, nearest to it first. */
export async function nearLimits(deps: LimitDeps): Promise<readonly NearLimit[]> {
  const found = await Promise.all(LIMIT_NAMES.map(async (limit) => usersOf(deps, limit)));
  const users = found
    .flat()
    .toSorted((one, other) => other.used / other.most - one.used / one.most)
    .slice(0, TOLD_MAX);
  const ids = [...new Set(users.map(({ accountId }) => accountId))];
  const accounts = await findListedAccounts(deps.context, ids);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return users.flatMap((user) => {
    const account = byId.get(user.accountId);
    if (account === undefined) return [];
    return [{ ...user, name: account.name, email: account.email }];
  });
}

async function usersOf({ context, limits }: LimitDeps, limit: LimitName) {
  const { most, count } = limits[limit];
  const counts = await count(context, Math.ceil(most * NEAR));
  return [...counts].map(([accountId, used]) => ({ accountId, limit, used, most }));
}
