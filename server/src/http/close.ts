import { readArrivedRequests } from "./arrived-requests.ts";
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

/** The time for which a closing server waits for its current requests. */
const GRACE_MS = 10_000;

/**
 * Stops listening, lets current requests finish, and resolves when every connection is closed. Closes the remaining
 * connections after `graceMs`, because a closing Node server no longer enforces its timeouts on incomplete requests.
 */
export async function closeServer(server: Server, graceMs = GRACE_MS): Promise<void> {
  announceClose(server);
  // A closed connection would lose its unread request, and the client cannot know whether it was processed.
  await readArrivedRequests();
  const timer = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearTimeout(timer);
  }
}
