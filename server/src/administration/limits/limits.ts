import { findListedAccounts } from "#accounts/other-accounts/store.ts";
import type { Context } from "#context.ts";

/** The limits of an account. */
export const LIMIT_NAMES = ["devices", "groups", "keys", "accessTokens", "teams"] as const;

/** The name of a limit. */
export type LimitName = (typeof LIMIT_NAMES)[number];

/** An account that is close to a limit. */
export interface NearLimit {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly limit: LimitName;
  readonly used: number;
  readonly most: number;
}

/** A limit, and a function that counts the usage of the accounts near it. */
interface Limited {
  readonly most: number;
  readonly count: (context: Context, minimum: number) => Promise<ReadonlyMap<string, number>>;
}

/** The limits of an account. The rooms that define them also count the usage. */
export type Limits = Readonly<Record<LimitName, Limited>>;

/** The dependencies of the list of accounts near a limit. */
export interface LimitDeps {
  readonly context: Context;
  readonly limits: Limits;
}

/** Share of a limit from which an account counts as near it. */
const NEAR = 0.8;
const LISTED_MAX = 200;

/** Returns at most 200 accounts that use at least 80 % of a limit, closest to it first. */
export async function nearLimits(deps: LimitDeps): Promise<readonly NearLimit[]> {
  const perLimit = await Promise.all(LIMIT_NAMES.map(async (limit) => findNearLimit(deps, limit)));
  const users = perLimit
    .flat()
    .toSorted((a, b) => b.used / b.most - a.used / a.most)
    .slice(0, LISTED_MAX);
  const ids = [...new Set(users.map(({ accountId }) => accountId))];
  const accounts = await findListedAccounts(deps.context, ids);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return users.flatMap((user) => {
    const account = byId.get(user.accountId);
    if (account === undefined) return [];
    return [{ ...user, name: account.name, email: account.email }];
  });
}

async function findNearLimit({ context, limits }: LimitDeps, limit: LimitName) {
  const { most, count } = limits[limit];
  const counts = await count(context, Math.ceil(most * NEAR));
  return [...counts].map(([accountId, used]) => ({ accountId, limit, used, most }));
}
