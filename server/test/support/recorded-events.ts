import type { AuditAction } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { toEventResponse } from "#audit/response.ts";
import { listEvents } from "#audit/store.ts";

/** Returns all recorded events, oldest first. */
export async function readRecordedEvents(context: Context) {
  const noFilter = { accountId: null, action: null, since: null, until: null, after: null };
  const events = await listEvents(context, { ...noFilter, limit: 1_000_000 });
  return events.map(toEventResponse).toReversed();
}

/** Returns the actions of all recorded events, oldest first. */
export async function readRecordedActions(context: Context): Promise<readonly AuditAction[]> {
  return (await readRecordedEvents(context)).map(({ action }) => action);
}

/** Returns the whole audit log as one string. */
export async function readAuditText({ database: { db } }: Context): Promise<string> {
  return JSON.stringify(await db.selectFrom("audit_event").selectAll().execute());
}
