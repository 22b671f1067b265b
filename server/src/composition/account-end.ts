import type { AccountDeletionSteps } from "#accounts/deletion/delete-account.ts";
import type { AccountReclaimSteps } from "#accounts/passwords/reset.ts";
import type { JoinedStatement } from "#accounts/store/accounts.ts";
import type { Context } from "#context.ts";
import { deleteAppsOfAccountQueries } from "#apps/store/removal.ts";
import { forgetDevicesQueries, retireAllDevicesQuery } from "#devices/store/retirement.ts";
import { deletePoliciesQuery } from "#incidents/policies/store/policies.ts";
import { eraseNotes } from "#incidents/store/acts-of-account.ts";
import { endTeamIncidentsQueries } from "#incidents/store/removal.ts";
import { deleteMailHoursQuery } from "#incidents/store/alarm-mails.ts";
import {
  eraseAccountKeysQueries,
  revokeAccountKeysQueries,
  revokeTeamKeysQueries,
} from "#keys/store/revocation.ts";
import type { KeyVerifier } from "#keys/verify.ts";
import { deleteMailsQuery } from "#mail/store/outbox.ts";
import { eraseAnswers } from "#prompts/store/erase-answers.ts";
import { deleteAccountContents } from "#notifications/retention/delete-account-contents.ts";
import { deleteAccountIncidents } from "./incident-removal.ts";
import { leaveAllTeams } from "#teams/members/leave-all.ts";
import { deleteReceivedInvitationsQuery } from "#teams/received-invitations/store.ts";

/** The dependencies of the steps that end the credentials of an account. */
export interface AccountEndDeps {
  readonly keys: KeyVerifier;
  /**
   * Called after the keys of an account were revoked and its devices retired, so that their uses in this process end;
   * must not throw.
   */
  readonly onAccountEnded: (accountId: string) => void;
}

/** Returns the steps that rooms other than `accounts` run when an account is deleted. */
export function createAccountDeletion(
  context: Context,
  { keys, onAccountEnded }: AccountEndDeps,
): AccountDeletionSteps {
  const onTeamChanged = (teamId: string) => keys.evictTeam(teamId);
  return {
    leaveTeams: (leaving) => leaveAllTeams({ context, onTeamChanged }, leaving),
    async endKeysAndDevices(accountId) {
      await context.database.atomically([
        ...deleteAppsOfAccountQueries(context, accountId),
        ...forgetDevicesQueries(context, accountId),
        ...eraseAccountKeysQueries(context, accountId),
        deletePoliciesQuery(context, { kind: "account", accountId }),
        deleteMailHoursQuery(context, accountId),
      ]);
      onAccountEnded(accountId);
    },
    async deleteContents(accountId) {
      await deleteAccountIncidents(context, accountId);
      await eraseNotes(context, accountId);
      await eraseAnswers(context, accountId);
      await deleteAccountContents(context, accountId);
    },
    createFinalStatements: (email) => [
      deleteReceivedInvitationsQuery(context, email),
      deleteMailsQuery(context, email),
    ],
  };
}

/** Returns the statements that end the keys, policies and incidents of a team, for the transaction that deletes it. */
export function createTeamEndQueries(context: Context, teamId: string): readonly JoinedStatement[] {
  return [
    ...revokeTeamKeysQueries(context, teamId),
    deletePoliciesQuery(context, { kind: "team", teamId }),
    ...endTeamIncidentsQueries(context, teamId),
  ];
}

/**
 * Returns the steps that delete the apps, retire the devices and revoke the keys of an account when its owner reclaims
 * it, because a stranger may have added them.
 */
export function createAccountReclaim(
  context: Context,
  { onAccountEnded }: Pick<AccountEndDeps, "onAccountEnded">,
): AccountReclaimSteps {
  return {
    createStatements: (accountId) => [
      ...deleteAppsOfAccountQueries(context, accountId),
      retireAllDevicesQuery(context, accountId),
      ...revokeAccountKeysQueries(context, accountId),
    ],
    onCommitted: onAccountEnded,
  };
}
