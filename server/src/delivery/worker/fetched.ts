import type { FetchedMessage } from "#providers/provider.ts";
import { isKept, type DeliveryResult, type PendingDevice } from "../delivery.ts";
import type { DeliveryServices } from "../deps.ts";
import { appendAttempt } from "../history.ts";

/** The devices that have fetched a message, by id. */
export type FetchedByDevice = ReadonlyMap<string, FetchedMessage>;

/** No device has fetched the message. */
export const NOTHING_FETCHED: FetchedByDevice = new Map();

/** Returns which of the devices that wait until they fetch the message have done so. */
export async function findFetched(
  { providers }: Pick<DeliveryServices, "providers">,
  notificationId: string,
  pending: readonly PendingDevice[],
): Promise<FetchedByDevice> {
  const provider = providers.get("stream");
  const deviceIds = pending.filter(isKept).map(({ deviceId }) => deviceId);
  if (deviceIds.length === 0 || provider?.findFetched === undefined) return NOTHING_FETCHED;
  return provider.findFetched(notificationId, deviceIds);
}

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
