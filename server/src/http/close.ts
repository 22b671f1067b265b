import type { Server } from "./server.ts";

/** Servers whose clients should go elsewhere for their next request. */
const closing = new WeakSet<Server>();

/** Makes every answer of a server that is about to close say that its connection ends with it. */
export function endConnectionsWhenClosing(server: Server): void {
  server.addHook("onSend", async (_request, reply) => {
    if (closing.has(server)) reply.header("connection", "close");
  });
}

/** Tells clients from now on, with each answer, to connect anew for the next request. */
export function announceClose(server: Server): void {
  closing.add(server);
}

/** Requests that take longer to finish, or to arrive, are cut off. */
const GRACE_MS = 10_000;

/**
 * Stops listening, lets requests under way finish, and resolves when every connection is closed, after
 * `graceMs` at most: a closing server of Node no longer looks for requests that never become whole.
 */
export async function closeServer(server: Server, graceMs = GRACE_MS): Promise<void> {
  announceClose(server);
  const grace = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearTimeout(grace);
  }
}
