import { setImmediate as nextTurn } from "node:timers/promises";

/** After so many turns of the event loop, Node has accepted each waiting connection and read its first request. */
const READING_TURNS = 3;

/**
 * Resolves when every request that has arrived is read. On a busy machine, many requests wait unread: their connections
 * look idle or slow, although only this process is late.
 */
export async function readArrivedRequests(): Promise<void> {
  for (let turn = 0; turn < READING_TURNS; turn += 1) await nextTurn();
}
