import type { FailedCallback } from "#callbacks/callback.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Incident } from "../incident.ts";

/** An entry of an incident's history as stored. */
export interface StoredEntry {
  readonly id: string;
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly accountId: string | null;
  readonly deviceId: string | null;
  readonly via: string | null;
  readonly notificationId: string | null;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Returns the query that records in the history of an incident that a callback was given up. */
export function recordFailedCallbackQuery(
  { database: { db }, newId, now }: Context,
  { subjectId, event, reason, attempts }: FailedCallback,
): Compilable {
  return db.insertInto("incident_event").values({
    incident_id: subjectId,
    id: newId(),
    kind: "callback_failed",
    at: now(),
    account_id: null,
    device_id: null,
    via: null,
    notification_id: null,
    detail: JSON.stringify({ event, reason, attempts }),
  });
}

/** Returns the history of an incident, the oldest entry first. */
export async function listEntries(
  { database: { db } }: Context,
  incidentId: string,
): Promise<readonly StoredEntry[]> {
  const rows = await db
    .selectFrom("incident_event")
    .selectAll()
    .where("incident_id", "=", incidentId)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    at: row.at,
    accountId: row.account_id,
    deviceId: row.device_id,
    via: row.via,
    notificationId: row.notification_id,
    // Only `commitChange` writes it.
    detail: JSON.parse(row.detail) as StoredEntry["detail"],
  }));
}

/** Returns the pushes that told the latest step of an incident, and whether the step was mailed to somebody. */
export async function listStepPushes(
  context: Context,
  { id, step }: Pick<Incident, "id" | "step">,
): Promise<{ readonly notificationIds: readonly string[]; readonly hasMail: boolean }> {
  const entries = await listEntries(context, id);
  const isOfStep = ({ detail }: StoredEntry) => detail["step"] === step;
  const reachedAt = entries.findLastIndex((entry) => entry.kind === "step" && isOfStep(entry));
  // The pushes of a change follow its other entries; those of later changes tell everybody who was reached before.
  const afterwards = entries.slice(reachedAt + 1);
  const end = afterwards.findIndex(({ kind }) => kind !== "push" && kind !== "mail");
  const pushes = afterwards.slice(0, end === -1 ? afterwards.length : end);
  return {
    notificationIds: pushes.flatMap(({ kind, notificationId, detail: { cause } }) => {
      const tellsStep = kind === "push" && (cause === "step" || cause === "trigger");
      return tellsStep && notificationId !== null ? [notificationId] : [];
    }),
    hasMail: entries.some((entry) => entry.kind === "mail" && isOfStep(entry)),
  };
}
