import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { LOOPBACK } from "../doubles/listen.ts";

/** Ports below the ephemeral ports, which the system could assign to another process meanwhile. */
const PORT_RANGE = { from: 20_000, to: 30_000 };
const ATTEMPTS_MAX = 20;

/** Returns a free port that a server can keep over restarts. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const port = randomInt(PORT_RANGE.from, PORT_RANGE.to);
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
