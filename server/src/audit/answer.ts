import { timestamp } from "#schema/moment.ts";
import type { AuditChange, AuditEvent } from "@tocsin/sdk";
import type { ListedEvent } from "./store.ts";

/** Converts an event to the form that administrators see. */
export function eventAnswer(event: ListedEvent): AuditEvent {
  return {
    id: event.id,
    createdAt: timestamp(event.created_at),
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
    // Written only by `auditInsert`.
    changes: JSON.parse(event.changes) as AuditChange[],
    address: event.address,
    userAgent: event.user_agent,
  };
}

/**
 * Converts an event to the form that its actor, or the affected account, sees. Hides the identity of other people
 * involved.
 */
export function ownEventAnswer(event: ListedEvent, accountId: string): AuditEvent {
  const answer = eventAnswer(event);
  const isActor = event.actor_account_id === accountId;
  const isSubject = event.account_id === accountId;
  // A caller without a proven identity tried to act as this account.
  const isOriginVisible = isActor || event.actor_kind === "unknown";
  const { kind } = answer.actor;
  return {
    ...answer,
    actor: isActor
      ? answer.actor
      : { kind, accountId: null, accountName: null, credentialId: null },
    accountId: isSubject ? answer.accountId : null,
    accountName: isSubject ? answer.accountName : null,
    // The number of unrecorded events covers all accounts.
    changes: answer.changes.filter(({ name }) => name !== "unrecorded"),
    address: isOriginVisible ? answer.address : null,
    userAgent: isOriginVisible ? answer.userAgent : null,
  };
}
