import { formatTimestamp } from "#schema/timestamp.ts";
import type { AuditChange, AuditEvent } from "@tocsin/sdk";
import type { ListedEvent } from "./store.ts";

/** Converts an event to the form that administrators see. */
export function toEventResponse(event: ListedEvent): AuditEvent {
  return {
    id: event.id,
    createdAt: formatTimestamp(event.created_at),
    action: event.action,
    actor: {
      kind: event.actor_kind,
      accountId: event.actor_account_id,
      accountName: event.actor_name,
      credentialId: event.actor_credential_id,
    },
    accountId: event.account_id,
    accountName: event.account_name,
    teamId: event.team_id,
    subjectId: event.subject_id,
    // Only `toRow` of `store.ts` writes this column, so the cast is safe.
    changes: JSON.parse(event.changes) as AuditChange[],
    address: event.address,
    userAgent: event.user_agent,
  };
}

/**
 * Converts an event to the form that its actor, or the affected account, sees. Hides the identity of other people
 * involved.
 */
export function toOwnEventResponse(event: ListedEvent, viewerAccountId: string): AuditEvent {
  const response = toEventResponse(event);
  const isActor = event.actor_account_id === viewerAccountId;
  const isAffected = event.account_id === viewerAccountId;
  // A caller without a proven identity tried to act as this account.
  const isOriginVisible = isActor || event.actor_kind === "unknown";
  const { kind } = response.actor;
  return {
    ...response,
    actor: isActor
      ? response.actor
      : { kind, accountId: null, accountName: null, credentialId: null },
    accountId: isAffected ? response.accountId : null,
    accountName: isAffected ? response.accountName : null,
    // The number of unrecorded events counts other accounts' events too, so it is hidden.
    changes: response.changes.filter(({ name }) => name !== "unrecorded"),
    address: isOriginVisible ? response.address : null,
    userAgent: isOriginVisible ? response.userAgent : null,
  };
}
