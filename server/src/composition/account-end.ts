import type { AccountEnd } from "#accounts/deletion/delete-account.ts";
import type { TakeBack } from "#accounts/passwords/reset.ts";
import type { Context } from "#context.ts";
import { forgetDevicesQueries, retireAllQuery } from "#devices/store/retirement.ts";
import { forgetAccountKeysQueries, revokeAccountKeysQuery } from "#keys/store/ending.ts";
import type { KeyVerifier } from "#keys/verify.ts";
import { forgetMailsQuery } from "#mail/store/outbox.ts";
import { forgetAccountContents } from "#notifications/retention/forget-account.ts";
import { leaveAllTeams } from "#teams/members/leave-all.ts";
import { forgetReceivedQuery } from "#teams/received/store.ts";

/** Returns the steps that rooms other than `accounts` run when an account ends. */
export function createAccountEnd(context: Context, keys: KeyVerifier): AccountEnd {
  const onTeamChanged = (teamId: string) => keys.forgetTeam(teamId);
  return {
    leaveTeams: (leaving) => leaveAllTeams({ context, onTeamChanged }, leaving),
    async silence(accountId) {
      await context.database.atomically([
        ...forgetDevicesQueries(context, accountId),
        ...forgetAccountKeysQueries(context, accountId),
      ]);
      keys.forgetAccount(accountId);
    },
    forgetContents: (accountId) => forgetAccountContents(context, accountId),
    lastStatements: (email) => [
      forgetReceivedQuery(context, email),
      forgetMailsQuery(context, email),
    ],
  };
}

/** Returns the steps that remove what a stranger may have left in an account that its owner reclaims. */
export function createTakeBack(context: Context, keys: KeyVerifier): TakeBack {
  return {
    statements: (accountId) => [
      retireAllQuery(context, accountId),
      revokeAccountKeysQuery(context, accountId),
    ],
    committed: (accountId) => keys.forgetAccount(accountId),
  };
}
