import { ACCESS_TOKENS_MAX } from "#accounts/access-tokens/issue.ts";
import { countAccessTokensByAccount } from "#accounts/access-tokens/store.ts";
import type { AccountLimits } from "#administration/limits/near-limits.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { GROUPS_MAX } from "#devices/groups/group.ts";
import { countDevicesByAccount, countGroupsByAccount } from "#devices/store/counts.ts";
import { KEYS_MAX } from "#keys/issue.ts";
import { countKeysByAccount } from "#keys/store/counts.ts";
import { OWNED_TEAMS_MAX } from "#teams/create-team.ts";
import { countOwnedTeamsByAccount } from "#teams/store/counts.ts";

/** The limits of an account, as the rooms define and count them. */
export const ACCOUNT_LIMITS: AccountLimits = {
  devices: { max: DEVICES_MAX, countUsage: countDevicesByAccount },
  groups: { max: GROUPS_MAX, countUsage: countGroupsByAccount },
  keys: { max: KEYS_MAX, countUsage: countKeysByAccount },
  accessTokens: { max: ACCESS_TOKENS_MAX, countUsage: countAccessTokensByAccount },
  teams: { max: OWNED_TEAMS_MAX, countUsage: countOwnedTeamsByAccount },
};
