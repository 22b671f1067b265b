import type { ProviderName } from "#providers/provider.ts";
import type {
  AttemptCode,
  DeliveryCode,
  DeliveryResult,
  FinalState,
  PendingDevice,
} from "../delivery.ts";
import type { Attempt, AttemptKind, History } from "../history.ts";

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
  return tuples.map(
    ([deviceId, attempts, runAt, code, detail, tries, waitsFor, history, crashes = 0]) => ({
      deviceId,
      attempts,
      tries,
      runAt,
      code,
      detail,
      crashes,
      waitsFor: waitsFor === null ? null : { service: waitsFor[0], epoch: waitsFor[1] },
      ...decodeHistoryField(history),
    }),
  );
}

/** Returns the optional last elements of a tuple. A device without history and crashes has none. */
function encodePendingTail(device: PendingDevice): readonly [(HistoryTuple | null)?, number?] {
  const [history = null] = encodeHistoryTail(device);
  if (device.crashes > 0) return [history, device.crashes];
  return history === null ? [] : [history];
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

/** The stored form of a history. */
type HistoryTuple = readonly [leftOut: number, ...attempts: AttemptTuple[]];
type AttemptTuple = readonly [
  kind: AttemptKind,
  at: number,
  code: Attempt["code"],
  detail: string | null,
  nextAt: number | null,
];

/** Encodes a history. */
export function encodeHistory({ leftOut, attempts }: History): HistoryTuple {
  const tuples = attempts.map(({ kind, at, code, detail, nextAt }): AttemptTuple => [
    kind,
    at,
    code,
    detail,
    nextAt,
  ]);
  return [leftOut, ...tuples];
}

/** Decodes the output of `encodeHistory`. */
export function decodeHistory([leftOut, ...tuples]: HistoryTuple): History {
  const attempts = tuples.map(([kind, at, code, detail, nextAt]) => {
    return { kind, at, code, detail, nextAt };
  });
  return { attempts, leftOut };
}

/** Returns the optional last element of a tuple. Empty without a history, so that first attempts take no space. */
function encodeHistoryTail({ history }: { readonly history?: History }): readonly [HistoryTuple?] {
  return history === undefined ? [] : [encodeHistory(history)];
}

/** Returns the field of a decoded tuple: none without a history. */
function decodeHistoryField(tuple: HistoryTuple | null | undefined): {
  readonly history?: History;
} {
  return tuple === undefined || tuple === null ? {} : { history: decodeHistory(tuple) };
}
