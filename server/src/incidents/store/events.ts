import { sql, type Kysely, type Selectable } from "kysely";
import type { FailedCallback } from "#callbacks/callback.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { insertUnderQuery, type Condition } from "#database/insert-under.ts";
import type { Schema } from "#database/schema.ts";
import type { PlannedEntry } from "../plan-change.ts";

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

/**
 * Returns the query that records in the history of an incident that a callback was given up; without effect if the
 * incident was deleted meanwhile.
 */
export function recordFailedCallbackQuery(
  { database: { db }, newId, now }: Context,
  { subjectId, event, reason, attempts }: FailedCallback,
): Compilable {
  const row = {
    incident_id: subjectId,
    id: newId(),
    kind: "callback_failed",
    at: now(),
    account_id: null,
    device_id: null,
    via: null,
    notification_id: null,
    detail: JSON.stringify({ event, reason, attempts }),
  };
  const isStored = sql<boolean>`exists (select 1 from incident where id = ${subjectId})`;
  return insertUnderQuery(db, { table: "incident_event", row }, isStored);
}

/** An entry to add to a history, if its condition holds. */
export interface NewEntry {
  readonly entry: PlannedEntry;
  readonly id: string;
  readonly condition: Condition;
}

/** Returns the query that adds an entry to the history of an incident. */
export function insertEntryQuery(
  { database: { db }, now }: Context,
  incidentId: string,
  { entry, id, condition }: NewEntry,
): Compilable {
  const { kind, act, notificationId, detail, mailedTo = null } = entry;
  const row = {
    incident_id: incidentId,
    id,
    kind,
    at: act?.at ?? now(),
    account_id: act?.accountId ?? mailedTo,
    device_id: act?.deviceId ?? null,
    via: act?.via ?? null,
    notification_id: notificationId,
    detail: JSON.stringify(
      act === null || act.note === null ? detail : { ...detail, note: act.note },
    ),
  };
  return insertUnderQuery(db, { table: "incident_event", row }, condition);
}

/** Returns the history of an incident, the oldest entry first. */
export async function listEntries(
  { database: { db } }: Context,
  incidentId: string,
): Promise<readonly StoredEntry[]> {
  const rows = await selectEntries(db, incidentId).orderBy("id").execute();
  return rows.map(toEntry);
}

/** Returns at most `limit` entries of a history before the entry `before`, or its latest ones, the newest first. */
export async function listEarlierEntries(
  { database: { db } }: Context,
  { incidentId, before, limit }: EntriesQuery,
): Promise<readonly StoredEntry[]> {
  const entries = selectEntries(db, incidentId);
  const rows = await (before === null ? entries : entries.where("id", "<", before))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toEntry);
}

/** A part of a history. */
export interface EntriesQuery {
  readonly incidentId: string;
  /** The id of an entry; null for the end of the history. */
  readonly before: string | null;
  readonly limit: number;
}

/** Exceeds the number of entries of one step, which has at most ten targets with a push and an email each. */
const STEP_ENTRIES_MAX = 32;

/** Returns the entry of the latest step of an incident, with the pushes and emails of the same change after it. */
export async function listStepEntries(
  { database: { db } }: Context,
  incidentId: string,
): Promise<readonly StoredEntry[]> {
  const step = await selectEntries(db, incidentId)
    .where("kind", "=", "step")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (step === undefined) return [];
  const rows = await selectEntries(db, incidentId)
    .where("id", ">", step.id)
    .orderBy("id")
    .limit(STEP_ENTRIES_MAX)
    .execute();
  // The pushes and emails of a change follow its other entries, so an entry of another kind begins a later change.
  const end = rows.findIndex(({ kind }) => kind !== "push" && kind !== "mail");
  return [step, ...rows.slice(0, end === -1 ? rows.length : end)].map(toEntry);
}

/** Returns the latest pushes of an incident, at most `limit`, the newest first. */
export async function listLatestPushes(
  { database: { db } }: Context,
  { incidentId, limit }: { readonly incidentId: string; readonly limit: number },
): Promise<readonly StoredEntry[]> {
  const rows = await selectEntries(db, incidentId)
    .where("kind", "=", "push")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toEntry);
}

function selectEntries(db: Kysely<Schema>, incidentId: string) {
  return db.selectFrom("incident_event").selectAll().where("incident_id", "=", incidentId);
}

/** Converts a row to an entry. */
export function toEntry(row: Selectable<Schema["incident_event"]>): StoredEntry {
  return {
    id: row.id,
    kind: row.kind,
    at: row.at,
    accountId: row.account_id,
    deviceId: row.device_id,
    via: row.via,
    notificationId: row.notification_id,
    // Only this file and `eraseNotes` write the column.
    detail: JSON.parse(row.detail) as StoredEntry["detail"],
  };
}
