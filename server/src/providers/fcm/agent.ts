import { Agent } from "undici";

const CONNECT_TIMEOUT_MS = 5_000;

/** Creates an agent for occasional requests, over HTTP/2 if the server supports it. `ca` is in PEM. */
export function createAgent(ca: string | undefined): Agent {
  return new Agent({
    allowH2: true,
    connections: 1,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      // NODE_TLS_REJECT_UNAUTHORIZED must not decide this.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    },
  });
}
