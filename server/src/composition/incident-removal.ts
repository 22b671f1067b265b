import type { Context } from "#context.ts";
import { removeIncidentsOfAccount, removeOldIncidents } from "#incidents/store/removal.ts";
import type { PruneFunction } from "#notifications/retention/retention.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const INCIDENTS_PER_BATCH_MAX = 500;

/** Returns the function that deletes old incidents. They are kept as long as notifications. */
export function createIncidentPrune(getRetentionDays: () => Promise<number>): PruneFunction {
  return async (context, limit) => {
    const before = context.now() - (await getRetentionDays()) * DAY_MS;
    return removeOldIncidents(context, { before, limit });
  };
}

/** Deletes all incidents of an account that is being deleted. Idempotent. */
export async function deleteAccountIncidents(context: Context, accountId: string): Promise<void> {
  for (;;) {
    const input = { accountId, limit: INCIDENTS_PER_BATCH_MAX };
    if ((await removeIncidentsOfAccount(context, input)) < INCIDENTS_PER_BATCH_MAX) return;
  }
}
