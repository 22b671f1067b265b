import { findListedAccounts } from "#accounts/other-accounts/store.ts";
import type { Context } from "#context.ts";

/** The names of the limits of an account. */
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

/** A limit, and the function that counts how much of it each account uses. Accounts below `minCount` are omitted. */
interface AccountLimit {
  readonly max: number;
  readonly countUsage: (context: Context, minCount: number) => Promise<ReadonlyMap<string, number>>;
}

/** The limits of an account. The rooms that define them also count the usage. */
export type AccountLimits = Readonly<Record<LimitName, AccountLimit>>;

/** The dependencies of the list of accounts near a limit. */
export interface NearLimitDeps {
  readonly context: Context;
  readonly limits: AccountLimits;
}

/** Share of a limit from which an account counts as near it. */
const NEAR_SHARE = 0.8;
/** Maximum number of listed pairs of an account and a limit. */
const LISTED_MAX = 200;

/** Returns at most 200 pairs of an account and a limit that it has used to at least 80 %, the fullest first. */
export async function listNearLimits(deps: NearLimitDeps): Promise<readonly NearLimit[]> {
  const accountsByLimit = await Promise.all(
    LIMIT_NAMES.map(async (limit) => findAccountsNear(deps, limit)),
  );
  const nearLimits = accountsByLimit
    .flat()
    .toSorted((a, b) => b.used / b.most - a.used / a.most)
    .slice(0, LISTED_MAX);
  const ids = [...new Set(nearLimits.map(({ accountId }) => accountId))];
  const accounts = await findListedAccounts(deps.context, ids);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return nearLimits.flatMap((nearLimit) => {
    const account = byId.get(nearLimit.accountId);
    if (account === undefined) return [];
    return [{ ...nearLimit, name: account.name, email: account.email }];
  });
}

async function findAccountsNear({ context, limits }: NearLimitDeps, limit: LimitName) {
  const { max, countUsage } = limits[limit];
  const counts = await countUsage(context, Math.ceil(max * NEAR_SHARE));
  return [...counts].map(([accountId, used]) => ({ accountId, limit, used, most: max }));
}
