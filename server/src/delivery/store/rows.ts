import { PROVIDERS } from "@tocsin/sdk";
import type { Selectable } from "kysely";
import { addContentColumns, addContentFromColumns } from "#content/content.ts";
import type { Schema } from "#database/schema.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type {
  AttemptCode,
  DeliveryCode,
  DeliveryResult,
  DeviceRange,
  FinalState,
  Lane,
  LeasedJob,
  StepMark,
  NewNotification,
  PendingDevice,
  Work,
} from "../delivery.ts";
import type { ProviderName } from "#providers/provider.ts";
import { decodeHistory, encodeHistory, type HistoryTuple } from "../history.ts";
import { encodeActions, toActing } from "./acting-columns.ts";

/** Returns the row of an accepted notification. Its columns are always in the same order, with `device_count` last. */
export function toNotificationRow(
  notification: NewNotification,
): Selectable<Schema["notification"]> {
  const { audience, acting } = notification;
  const columns = {
    id: notification.id,
    audience_kind: audience.kind === "team" ? ("team" as const) : ("account" as const),
    audience_id: audience.kind === "team" ? audience.teamId : audience.accountId,
    group_id: audience.kind === "group" ? audience.groupId : null,
    device_id: audience.kind === "device" ? audience.deviceId : null,
    key_id: notification.keyId,
    created_at: notification.createdAt,
    expires_at: notification.expiresAt,
    incident_id: acting === null ? null : acting.incidentId,
    prompt_id: acting === null ? null : acting.promptId,
    cause: acting === null ? null : acting.cause,
    actions: acting === null ? null : encodeActions(acting),
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
    acting: toActing(row),
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

type PendingTuple = [
  deviceId: string,
  attempts: number,
  runAt: number,
  code: AttemptCode | null,
  detail: string | null,
  tries: number,
  waitsFor: readonly [service: string, epoch: string] | null,
  history?: HistoryTuple | null,
  crashes?: number,
];

/** Encodes pending devices as JSON tuples. */
export function encodePending(pending: readonly PendingDevice[]): string {
  return JSON.stringify(
    pending.map((device): PendingTuple => [
      device.deviceId,
      device.attempts,
      device.runAt,
      device.code,
      device.detail,
      device.tries,
      device.waitsFor === null ? null : [device.waitsFor.service, device.waitsFor.epoch],
      ...encodePendingTail(device),
    ]),
  );
}

/** Decodes the output of `encodePending`. */
export function decodePending(text: string): readonly PendingDevice[] {
  const tuples = JSON.parse(text) as readonly PendingTuple[]; // Only `encodePending` writes it.
  return tuples.map(([deviceId, attempts, runAt, code, detail, tries, waitsFor, ...rest]) => ({
    deviceId,
    attempts,
    tries,
    runAt,
    code,
    detail,
    crashes: rest[1] ?? 0,
    waitsFor: waitsFor === null ? null : { service: waitsFor[0], epoch: waitsFor[1] },
    ...decodeHistoryField(rest[0]),
  }));
}

function encodePendingTail(device: PendingDevice): readonly [(HistoryTuple | null)?, number?] {
  const [history = null] = encodeHistoryTail(device);
  if (device.crashes > 0) return [history, device.crashes];
  return history === null ? [] : [history];
}

/** Returns the optional last element of a tuple. Empty without a history, so that first attempts take no space. */
function encodeHistoryTail({ history }: Pick<PendingDevice, "history">): readonly [HistoryTuple?] {
  return history === undefined ? [] : [encodeHistory(history)];
}

function decodeHistoryField(
  tuple: HistoryTuple | null | undefined,
): Pick<PendingDevice, "history"> {
  return tuple === undefined || tuple === null ? {} : { history: decodeHistory(tuple) };
}

type ResultTuple = [
  deviceId: string,
  provider: ProviderName,
  state: FinalState,
  code: DeliveryCode,
  detail: string | null,
  attempts: number,
  at: number,
  history?: HistoryTuple,
];

/** Encodes results as JSON tuples. */
export function encodeResults(results: readonly DeliveryResult[]): string {
  return JSON.stringify(
    results.map((result): ResultTuple => [
      result.deviceId,
      result.provider,
      result.state,
      result.code,
      result.detail,
      result.attempts,
      result.at,
      ...encodeHistoryTail(result),
    ]),
  );
}

/** Decodes the output of `encodeResults`. */
export function decodeResults(text: string): readonly DeliveryResult[] {
  const tuples = JSON.parse(text) as readonly ResultTuple[]; // Only `encodeResults` writes it.
  return tuples.map(([deviceId, provider, state, code, detail, attempts, at, history]) => ({
    deviceId,
    provider,
    state,
    code,
    detail,
    attempts,
    at,
    ...decodeHistoryField(history),
  }));
}

/** Returns the `like` patterns of pages with a device's result; only results in `state` unless it is null. */
export function createResultPatterns(
  deviceId: string,
  state: FinalState | null,
): readonly string[] {
  if (state === null) return [`%["${deviceId}",%`];
  return PROVIDERS.map((provider) => `%["${deviceId}","${provider}","${state}",%`);
}

/** Returns the `like` pattern of pages with a result in this state and with this code. */
export function createCodePattern(state: FinalState, code: string): string {
  return `%","${state}","${code.replaceAll(/[\\%_]/g, "\\$&")}",%`;
}

/** Returns the `like` pattern of jobs with a pending device. */
export function createPendingPattern(deviceId: string): string {
  return `%["${deviceId}",%`;
}

/** Returns the `like` pattern of pages with results in a state. */
export function createStatePattern(state: FinalState): string {
  return `%"${state}":%`;
}

/** Encodes the number of results in each state as JSON, such as `{"accepted":2}`. */
export function encodeCounts(results: readonly DeliveryResult[]): string {
  const counts: Partial<Record<FinalState, number>> = {};
  for (const { state } of results) counts[state] = (counts[state] ?? 0) + 1;
  return JSON.stringify(counts);
}

/** Decodes the output of `encodeCounts`. */
export function decodeCounts(text: string): Readonly<Partial<Record<FinalState, number>>> {
  return JSON.parse(text) as Partial<Record<FinalState, number>>; // Only `encodeCounts` writes it.
}
