import type { FetchedMessage } from "#providers/provider.ts";
import type { DeliveryResult, PendingDevice } from "../delivery.ts";
import { appendAttempt } from "../history.ts";

/** Returns the result of a device that has fetched the message. */
export function createFetchedResult(
  { deviceId, attempts, history }: PendingDevice,
  { receipt, at }: FetchedMessage,
): DeliveryResult {
  const attempt = {
    kind: "accepted",
    at,
    code: "accepted",
    detail: receipt,
    nextAt: null,
  } as const;
  return {
    deviceId,
    provider: "stream",
    state: "accepted",
    code: "accepted",
    detail: receipt,
    attempts: attempts + 1,
    at,
    history: appendAttempt(history, attempt),
  };
}
