import type { FetchedMessage } from "#providers/provider.ts";
import type { DeliveryServices } from "../deps.ts";

/** The devices that have fetched a message, by id. */
export type FetchedByDevice = ReadonlyMap<string, FetchedMessage>;

/** No device has fetched the message. */
export const NOTHING_FETCHED: FetchedByDevice = new Map();

/** Returns which of the devices have fetched the message. */
export async function findFetched(
  { providers }: Pick<DeliveryServices, "providers">,
  notificationId: string,
  deviceIds: readonly string[],
): Promise<FetchedByDevice> {
  const provider = providers.get("stream");
  if (deviceIds.length === 0 || provider?.findFetched === undefined) return NOTHING_FETCHED;
  return provider.findFetched(notificationId, deviceIds);
}
