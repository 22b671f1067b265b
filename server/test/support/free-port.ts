import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { LOOPBACK } from "../doubles/listen.ts";

/** Below the ephemeral ports, which the system could give to another process meanwhile. */
const PORTS = { from: 20_000, to: 30_000 };
const TRIES_MAX = 20;

/** Returns a free port that a server can keep over restarts. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
  throw new Error("No port is free.");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, LOOPBACK);
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
