import type { AuditAction } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { eventAnswer } from "#audit/answer.ts";
import { listEvents } from "#audit/store.ts";

/** Returns all recorded events, oldest first. */
export async function recordedEvents(context: Context) {
  const all = { accountId: null, action: null, since: null, until: null, after: null };
  const events = await listEvents(context, { ...all, limit: 1_000_000 });
  return events.map(eventAnswer).toReversed();
}

/** Returns the actions of all recorded events, oldest first. */
export async function recordedActions(context: Context): Promise<readonly AuditAction[]> {
  return (await recordedEvents(context)).map(({ action }) => action);
}

/** Returns the whole audit log as one string. */
export async function auditText({ database: { db } }: Context): Promise<string> {
  return JSON.stringify(await db.selectFrom("audit_event").selectAll().execute());
}
