import { Agent } from "undici";

const CONNECT_TIMEOUT_MS = 5_000;

/** Returns an agent for occasional requests, over HTTP/2 if the server speaks it; `ca` is in PEM. */
export function createAgent(ca: string | undefined): Agent {
  return new Agent({
    allowH2: true,
    connections: 1,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      // Not left to NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    },
  });
}
