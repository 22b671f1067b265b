import { pruneFailedCallbacks } from "#callbacks/store/failures.ts";
import { pruneSecrets } from "#callbacks/store/secrets.ts";
import { createAppPrunes } from "#apps/prune.ts";
import { removeExpired } from "#accounts/store/accounts.ts";
import { maintainAuditLog } from "#audit/retention/maintain-audit-log.ts";
import type { PruneFunction } from "#notifications/retention/retention.ts";
import { pruneAlarmMailHours } from "#incidents/store/alarm-mails.ts";
import { removeIncidentsOfEndedTeams } from "#incidents/store/removal.ts";
import { pruneInvitations } from "#teams/invitations/store.ts";
import { createIncidentPrune } from "./incident-removal.ts";
import { hashEarlierTokens } from "./session-tokens.ts";

/**
 * Returns the regular clean-up in rooms other than `notifications`: it deletes old rows, and hashes earlier session
 * tokens.
 */
export function createPrunes(getRetentionDays: () => Promise<number>): readonly PruneFunction[] {
  return [
    async (context) => {
      await removeExpired(context);
      return 0;
    },
    hashEarlierTokens,
    pruneInvitations,
    maintainAuditLog,
    pruneSecrets,
    createIncidentPrune(getRetentionDays),
    ...createAppPrunes(getRetentionDays),
    removeIncidentsOfEndedTeams,
    pruneAlarmMailHours,
    async (context, limit) =>
      pruneFailedCallbacks(context, { retentionDays: await getRetentionDays(), limit }),
  ];
}
