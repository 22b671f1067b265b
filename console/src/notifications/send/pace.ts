import type { DeliveryCounts } from "@tocsin/sdk";

/** Polling interval while the live stream is cut. */
const ASK_EVERY_MS = 2_000;

/**
 * Returns the polling interval for the outcomes of a notification, in milliseconds; false while the live stream is
 * open, and once all outcomes are final.
 */
export function paceOf(isLive: boolean, counts: DeliveryCounts | undefined): number | false {
  if (isLive || (counts !== undefined && isOver(counts))) return false;
  return ASK_EVERY_MS;
}

/** Returns whether all outcomes are final. */
export function isOver({ queued, retrying, held }: DeliveryCounts): boolean {
  return queued + retrying + held === 0;
}
