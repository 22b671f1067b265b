import { setImmediate as nextTurn } from "node:timers/promises";
import type { Server } from "./server.ts";

/** Servers that are closing: their clients should open a new connection for the next request. */
const closingServers = new WeakSet<Server>();

/** Adds `Connection: close` to every response of a server that is about to close. */
export function endConnectionsWhenClosing(server: Server): void {
  server.addHook("onSend", (_request, reply, payload, done) => {
    if (closingServers.has(server)) reply.header("connection", "close");
    done(null, payload);
  });
}

/** Makes every later response close its connection, so that clients reconnect for the next request. */
export function announceClose(server: Server): void {
  closingServers.add(server);
}

/** The time for which a closing server waits for its current requests. Then it closes their connections. */
const GRACE_MS = 10_000;

/** Turns of the event loop that accept each connection and read its first request, wherever in a turn they begin. */
const READING_TURNS = 3;

/**
 * Stops listening, lets current requests finish, and resolves when every connection is closed, after at most
 * `graceMs`: a closing Node server no longer enforces its timeouts on incomplete requests.
 */
export async function closeServer(server: Server, graceMs = GRACE_MS): Promise<void> {
  announceClose(server);
  await readArrivedRequests();
  const timer = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads every request that has arrived. On a busy machine many wait unread, and closing their connections, which look
 * idle, would reset them: a client cannot know whether such a request was processed.
 */
async function readArrivedRequests(): Promise<void> {
  for (let turn = 0; turn < READING_TURNS; turn += 1) await nextTurn();
}
