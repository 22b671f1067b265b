import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { connect, type Server } from "node:net";

/** The doubles listen only on this address, so they are unreachable from other machines. */
export const LOOPBACK = "127.0.0.1";

/** Starts the server on a loopback port, by default a free one, and returns the port. */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, LOOPBACK);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** Returns whether a loopback port accepts connections. */
export async function isPortOpen(port: number): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Closes an HTTP server and all its connections. */
export async function closeHttpServer(server: HttpServer): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
