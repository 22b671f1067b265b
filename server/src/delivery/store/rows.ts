import type { Selectable } from "kysely";
import { addContentColumns, addContentFromColumns } from "#content/content.ts";
import type { Schema } from "#database/schema.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { DeviceRange, Lane, LeasedJob, StepMark, NewNotification, Work } from "../delivery.ts";
import { encodeActions, toInteraction } from "./interaction-columns.ts";
import { decodePending, encodePending } from "./tuples.ts";

/** Returns the row of an accepted notification. Its columns are always in the same order, with `device_count` last. */
export function toNotificationRow(
  notification: NewNotification,
): Selectable<Schema["notification"]> {
  const { audience, interaction } = notification;
  const columns = {
    id: notification.id,
    audience_kind: audience.kind === "team" ? ("team" as const) : ("account" as const),
    audience_id: audience.kind === "team" ? audience.teamId : audience.accountId,
    group_id: audience.kind === "group" ? audience.groupId : null,
    device_id: audience.kind === "device" ? audience.deviceId : null,
    key_id: notification.keyId,
    created_at: notification.createdAt,
    expires_at: notification.expiresAt,
    incident_id: interaction === null ? null : interaction.incidentId,
    prompt_id: interaction === null ? null : interaction.promptId,
    cause: interaction === null ? null : interaction.cause,
    actions: interaction === null ? null : encodeActions(interaction),
    extras: notification.extras ?? null,
  };
  const row = addContentColumns(columns, notification) as Selectable<Schema["notification"]>; // The last column follows.
  row.device_count = notification.deviceCount;
  return row;
}

/** Returns the notification of a row. */
export function toNotification(row: Selectable<Schema["notification"]>): NewNotification {
  const notification = {
    id: row.id,
    audience: toAudience(row),
    keyId: row.key_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    deviceCount: row.device_count,
    interaction: toInteraction(row),
  };
  return addContentFromColumns(notification, row);
}

function toAudience(row: Selectable<Schema["notification"]>): Audience {
  const id = row.audience_id;
  if (row.audience_kind === "team") return { kind: "team", teamId: id };
  if (row.group_id !== null) return { kind: "group", accountId: id, groupId: row.group_id };
  if (row.device_id !== null) return { kind: "device", accountId: id, deviceId: row.device_id };
  return { kind: "account", accountId: id };
}

type WorkColumns = Pick<
  Selectable<Schema["send_job"]>,
  "kind" | "range_after" | "range_up_to" | "pending"
>;

/** Returns the columns that store the work of a job. */
export function toWorkColumns(work: Work): WorkColumns {
  switch (work.kind) {
    case "devices":
      return {
        kind: "deliver",
        range_after: "",
        range_up_to: "",
        pending: encodePending(work.pending),
      };
    case "range":
      return { kind: "deliver", ...toRangeColumns(work.range), pending: null };
    case "expand":
      return { kind: "expand", ...toRangeColumns(work.range), pending: null };
  }
}

function toRangeColumns({ after, upTo }: DeviceRange) {
  return { range_after: after, range_up_to: upTo };
}

function toWork(row: WorkColumns): Work {
  if (row.pending !== null) return { kind: "devices", pending: decodePending(row.pending) };
  const range = { after: row.range_after, upTo: row.range_up_to };
  return row.kind === "expand" ? { kind: "expand", range } : { kind: "range", range };
}

/** Returns the job of a row that was just leased until its `run_at`. */
export function toLeasedJob(
  row: Selectable<Schema["send_job"]>,
  notification: NewNotification,
): LeasedJob {
  return {
    lease: { jobId: row.id, epoch: row.epoch, until: row.run_at },
    // Only `accept` and `settle` write this column.
    lane: row.lane as Lane,
    notification,
    work: toWork(row),
    crashes: row.crashes,
    suspect: row.suspected === null ? null : decodeMark(row.suspected),
  };
}

type MarkTuple = [deviceId: string | null, crashes: number];

/** Encodes a mark as a JSON tuple. */
export function encodeMark({ deviceId, crashes }: StepMark): string {
  const tuple: MarkTuple = [deviceId, crashes];
  return JSON.stringify(tuple);
}

function decodeMark(text: string): StepMark {
  const [deviceId, crashes] = JSON.parse(text) as MarkTuple; // Only `encodeMark` writes it.
  return { deviceId, crashes };
}
