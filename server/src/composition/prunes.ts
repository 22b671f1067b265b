import { removeExpired } from "#accounts/store/accounts.ts";
import { maintainAuditLog } from "#audit/retention/maintain-audit-log.ts";
import type { PruneFunction } from "#notifications/retention/retention.ts";
import { pruneInvitations } from "#teams/invitations/store.ts";
import { hashEarlierTokens } from "./session-tokens.ts";

/** The regular clean-up in rooms other than `notifications`: it deletes old rows, and hashes earlier session tokens. */
export const PRUNES: readonly PruneFunction[] = [
  async (context) => {
    await removeExpired(context);
    return 0;
  },
  hashEarlierTokens,
  pruneInvitations,
  maintainAuditLog,
];
