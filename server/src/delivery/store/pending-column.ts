import type { AttemptCode, PendingDevice } from "../delivery.ts";
import { decodeHistoryField, encodeHistoryTail, type HistoryTuple } from "../history.ts";

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
