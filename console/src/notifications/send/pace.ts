import type { DeliveryCounts } from "@tocsin/sdk";

/** What the live stream would tell, where it is cut. */
const ASK_EVERY_MS = 2_000;

/** Returns how often to ask what became of a notification, in milliseconds: not where the live stream tells, nor once all is known. */
export function paceOf(isLive: boolean, counts: DeliveryCounts | undefined): number | false {
  if (isLive || (counts !== undefined && isOver(counts))) return false;
  return ASK_EVERY_MS;
}

/** Returns whether nothing will change any more. */
export function isOver({ queued, retrying, held }: DeliveryCounts): boolean {
  return queued + retrying + held === 0;
}
