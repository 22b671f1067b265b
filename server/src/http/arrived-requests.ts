import { setImmediate as nextTurn } from "node:timers/promises";

/** Turns of the event loop within which Node accepts each waiting connection and reads its first request. */
const READING_TURN_COUNT = 3;

/**
 * Resolves when every request that has arrived is read. On a busy machine, many requests wait unread: their connections
 * look idle or slow, although only this process is late.
 */
export async function readArrivedRequests(): Promise<void> {
  for (let turn = 0; turn < READING_TURN_COUNT; turn += 1) await nextTurn();
}
