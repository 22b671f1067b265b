import type { FetchedMessage } from "#providers/provider.ts";
import { isKept, type PendingDevice } from "../delivery.ts";
import type { DeliveryServices } from "../deps.ts";

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
