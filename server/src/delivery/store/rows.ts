import { PROVIDERS } from "@tocsin/sdk";
import type { Selectable } from "kysely";
import { withColumns, withContent } from "#content/content.ts";
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
  Mark,
  NewNotification,
  PendingDevice,
  Work,
} from "../delivery.ts";
import type { ProviderName } from "#providers/provider.ts";
import { decodeHistory, encodeHistory, type HistoryTuple } from "../history.ts";

/** Returns the row of an accepted notification. */
export function notificationRow(notification: NewNotification): Selectable<Schema["notification"]> {
  const { audience } = notification;
  const row = {
    id: notification.id,
    audience_kind: audience.kind === "team" ? ("team" as const) : ("account" as const),
    audience_id: audience.kind === "team" ? audience.teamId : audience.accountId,
    group_id: audience.kind === "group" ? audience.groupId : null,
    device_id: audience.kind === "device" ? audience.deviceId : null,
    key_id: notification.keyId,
    created_at: notification.createdAt,
    expires_at: notification.expiresAt,
    device_count: notification.deviceCount,
  };
  return withColumns(row, notification);
}

/** Returns the notification of a row. */
export function notificationOf(row: Selectable<Schema["notification"]>): NewNotification {
  const notification = {
    id: row.id,
    audience: audienceOf(row),
    keyId: row.key_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    deviceCount: row.device_count,
  };
  return withContent(notification, row);
}

function audienceOf(row: Selectable<Schema["notification"]>): Audience {
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
export function workColumns(work: Work): WorkColumns {
  switch (work.kind) {
    case "devices":
      return {
        kind: "deliver",
        range_after: "",
        range_up_to: "",
        pending: pendingText(work.pending),
      };
    case "range":
      return { kind: "deliver", ...rangeColumns(work.range), pending: null };
    case "expand":
      return { kind: "expand", ...rangeColumns(work.range), pending: null };
  }
}

function rangeColumns({ after, upTo }: DeviceRange) {
  return { range_after: after, range_up_to: upTo };
}

function workOf(row: WorkColumns): Work {
  if (row.pending !== null) return { kind: "devices", pending: pendingOf(row.pending) };
  const range = { after: row.range_after, upTo: row.range_up_to };
  return row.kind === "expand" ? { kind: "expand", range } : { kind: "range", range };
}

/** Returns the job of a row that was just leased until its `run_at`. */
export function leasedJobOf(
  row: Selectable<Schema["send_job"]>,
  notification: NewNotification,
): LeasedJob {
  return {
    lease: { jobId: row.id, epoch: row.epoch, until: row.run_at },
    // Only `accept` and `settle` write this column.
    lane: row.lane as Lane,
    notification,
    work: workOf(row),
    crashes: row.crashes,
    suspect: row.suspected === null ? null : markOf(row.suspected),
  };
}

type MarkTuple = [deviceId: string | null, deaths: number];

/** Encodes a mark as a JSON tuple. */
export function markText({ deviceId, deaths }: Mark): string {
  const tuple: MarkTuple = [deviceId, deaths];
  return JSON.stringify(tuple);
}

function markOf(text: string): Mark {
  const [deviceId, deaths] = JSON.parse(text) as MarkTuple; // Only markText writes it.
  return { deviceId, deaths };
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
  deaths?: number,
];

/** Encodes pending devices as JSON tuples. */
export function pendingText(pending: readonly PendingDevice[]): string {
  return JSON.stringify(
    pending.map((device): PendingTuple => [
      device.deviceId,
      device.attempts,
      device.runAt,
      device.code,
      device.detail,
      device.tries,
      device.waitsFor === null ? null : [device.waitsFor.service, device.waitsFor.epoch],
      ...pendingTail(device),
    ]),
  );
}

/** Decodes the output of `pendingText`. */
export function pendingOf(text: string): readonly PendingDevice[] {
  const tuples = JSON.parse(text) as readonly PendingTuple[]; // Only pendingText writes it.
  return tuples.map(([deviceId, attempts, runAt, code, detail, tries, waitsFor, ...rest]) => ({
    deviceId,
    attempts,
    tries,
    runAt,
    code,
    detail,
    deaths: rest[1] ?? 0,
    waitsFor: waitsFor === null ? null : { service: waitsFor[0], epoch: waitsFor[1] },
    ...historyField(rest[0]),
  }));
}

function pendingTail(device: PendingDevice): readonly [(HistoryTuple | null)?, number?] {
  const [history = null] = historyTail(device);
  if (device.deaths > 0) return [history, device.deaths];
  return history === null ? [] : [history];
}

/** Returns the optional last element of a tuple. Empty without a history, so that first attempts take no space. */
function historyTail({ history }: Pick<PendingDevice, "history">): readonly [HistoryTuple?] {
  return history === undefined ? [] : [encodeHistory(history)];
}

function historyField(tuple: HistoryTuple | null | undefined): Pick<PendingDevice, "history"> {
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
export function resultsText(results: readonly DeliveryResult[]): string {
  return JSON.stringify(
    results.map((result): ResultTuple => [
      result.deviceId,
      result.provider,
      result.state,
      result.code,
      result.detail,
      result.attempts,
      result.at,
      ...historyTail(result),
    ]),
  );
}

/** Decodes the output of `resultsText`. */
export function resultsOf(text: string): readonly DeliveryResult[] {
  const tuples = JSON.parse(text) as readonly ResultTuple[]; // Only resultsText writes it.
  return tuples.map(([deviceId, provider, state, code, detail, attempts, at, history]) => ({
    deviceId,
    provider,
    state,
    code,
    detail,
    attempts,
    at,
    ...historyField(history),
  }));
}

/** Returns the `like` patterns of pages with a device's result; only results in `state` unless it is null. */
export function resultPatterns(deviceId: string, state: FinalState | null): readonly string[] {
  if (state === null) return [`%["${deviceId}",%`];
  return PROVIDERS.map((provider) => `%["${deviceId}","${provider}","${state}",%`);
}

/** Returns the `like` pattern of pages with a result in this state and with this code. */
export function codePattern(state: FinalState, code: string): string {
  return `%","${state}","${code.replaceAll(/[\\%_]/g, "\\$&")}",%`;
}

/** Returns the `like` pattern of jobs with a pending device. */
export function pendingPattern(deviceId: string): string {
  return `%["${deviceId}",%`;
}

/** Returns the `like` pattern of pages with results in a state. */
export function countedPattern(state: FinalState): string {
  return `%"${state}":%`;
}

/** Encodes the number of results in each state as JSON, such as `{"accepted":2}`. */
export function countsText(results: readonly DeliveryResult[]): string {
  const counts: Partial<Record<FinalState, number>> = {};
  for (const { state } of results) counts[state] = (counts[state] ?? 0) + 1;
  return JSON.stringify(counts);
}

/** Decodes the output of `countsText`. */
export function countsOf(text: string): Readonly<Partial<Record<FinalState, number>>> {
  return JSON.parse(text) as Partial<Record<FinalState, number>>; // Only countsText writes it.
}
