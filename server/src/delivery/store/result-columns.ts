import type { ProviderName } from "#providers/provider.ts";
import type { DeliveryCode, DeliveryResult, FinalState } from "../delivery.ts";
import { decodeHistoryField, encodeHistoryTail, type HistoryTuple } from "../history.ts";

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
