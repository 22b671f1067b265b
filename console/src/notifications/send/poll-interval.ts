import type { DeliveryCounts } from "@tocsin/sdk";

/** Polling interval while the live stream is down. */
const POLL_INTERVAL_MS = 2_000;

/**
 * Returns the polling interval for the outcomes of a notification, in milliseconds; false while the live stream is open
 * or after all outcomes are final.
 */
export function getPollInterval(
  isLive: boolean,
  counts: DeliveryCounts | undefined,
): number | false {
  if (isLive || (counts !== undefined && areDeliveriesFinished(counts))) return false;
  return POLL_INTERVAL_MS;
}

/** Returns whether all outcomes are final. */
export function areDeliveriesFinished({ queued, retrying, held }: DeliveryCounts): boolean {
  return queued + retrying + held === 0;
}
