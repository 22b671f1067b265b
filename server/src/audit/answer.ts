import { timestamp } from "#schema/moment.ts";
import type { AuditChange, AuditEvent } from "@tocsin/sdk";
import type { ListedEvent } from "./store.ts";

/** Returns an event as administrators see it. */
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
    // Only `auditInsert` writes it.
    changes: JSON.parse(event.changes) as AuditChange[],
    address: event.address,
    userAgent: event.user_agent,
  };
}

/**
 * Returns an event as its actor, or the account it affected, sees it: of other people involved, only that there are
 * some.
 */
export function ownEventAnswer(event: ListedEvent, accountId: string): AuditEvent {
  const answer = eventAnswer(event);
  const isActor = event.actor_account_id === accountId;
  const isDoneToMe = event.account_id === accountId;
  // A caller without a proven identity tried to be this person.
  const isShown = isActor || event.actor_kind === "unknown";
  const { kind } = answer.actor;
  return {
    ...answer,
    actor: isActor
      ? answer.actor
      : { kind, accountId: null, accountName: null, credentialId: null },
    accountId: isDoneToMe ? answer.accountId : null,
    accountName: isDoneToMe ? answer.accountName : null,
    // The number of unrecorded events is counted over all accounts.
    changes: answer.changes.filter(({ name }) => name !== "unrecorded"),
    address: isShown ? answer.address : null,
    userAgent: isShown ? answer.userAgent : null,
  };
}
