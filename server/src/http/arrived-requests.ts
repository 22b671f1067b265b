import { setImmediate as nextTurn } from "node:timers/promises";

/** Turns of the event loop that accept each connection and read its first request, wherever in a turn they begin. */
const READING_TURNS = 3;

/**
 * Resolves when every request that has arrived is read. On a busy machine many wait unread while their connections look
 * idle or slow, although only this process is late.
 */
export async function readArrivedRequests(): Promise<void> {
  for (let turn = 0; turn < READING_TURNS; turn += 1) await nextTurn();
}
