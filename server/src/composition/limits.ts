import { ACCESS_TOKENS_MAX } from "#accounts/access-tokens/issue.ts";
import { accountsWithAccessTokens } from "#accounts/access-tokens/store.ts";
import type { Limits } from "#administration/limits/limits.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { GROUPS_MAX } from "#devices/groups/group.ts";
import { accountsWithDevices, accountsWithGroups } from "#devices/store/counts.ts";
import { KEYS_MAX } from "#keys/issue.ts";
import { accountsWithKeys } from "#keys/store/counts.ts";
import { TEAMS_MAX } from "#teams/create-team.ts";
import { accountsWithTeams } from "#teams/store/counts.ts";

/** The limits of an account, as the rooms define and count them. */
export const LIMITS: Limits = {
  devices: { most: DEVICES_MAX, count: accountsWithDevices },
  groups: { most: GROUPS_MAX, count: accountsWithGroups },
  keys: { most: KEYS_MAX, count: accountsWithKeys },
  accessTokens: { most: ACCESS_TOKENS_MAX, count: accountsWithAccessTokens },
  teams: { most: TEAMS_MAX, count: accountsWithTeams },
};
