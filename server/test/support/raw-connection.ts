import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { pino } from "pino";
import { createServer, type Server, type ServerOptions } from "#http/server.ts";

/** A TCP connection to a server with a few routes. */
export interface RawConnection {
  readonly server: Server;
  readonly port: number;
  readonly socket: Socket;
}

/** Starts a server with the routes of `register` and opens a connection to it. Both end with the test. */
export async function openRawConnection(
  t: TestContext,
  register: (server: Server) => void,
  options: Partial<ServerOptions> = {},
): Promise<RawConnection> {
  const log = pino({ level: "silent" });
  const server = createServer({ log, newId: () => "id", trustProxy: false, ...options });
  register(server);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const port = Number(new URL(url).port);
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  t.after(async () => {
    socket.destroy();
    server.server.closeAllConnections();
    await server.close();
  });
  await once(socket, "connect");
  return { server, port, socket };
}

/** Returns everything that the server sends until it ends the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}
