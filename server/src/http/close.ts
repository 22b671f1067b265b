import type { Server } from "./server.ts";

/** Requests that take longer to finish, or to arrive, are cut off. */
const GRACE_MS = 10_000;

/**
 * Stops listening, lets requests under way finish, and resolves when every connection is closed, after
 * `graceMs` at most: a closing server of Node no longer looks for requests that never become whole.
 */
export async function closeServer(server: Server, graceMs = GRACE_MS): Promise<void> {
  const grace = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearTimeout(grace);
  }
}
