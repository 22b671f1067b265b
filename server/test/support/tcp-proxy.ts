import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import type { Scope } from "./scope.ts";

/** Stands between a client and a server, and may become a network that swallows what it is given. */
export interface TcpProxy {
  readonly port: number;
  /** From now on nothing goes through, and nobody is told; new connections are made, and hear nothing. */
  swallow(): void;
  /** Lets new connections through; those of before stay dead. */
  heal(): void;
  /** Breaks every connection, as both sides notice; new ones go through. */
  cut(): void;
}

/** Starts a proxy before a port of this machine; it ends with the scope. */
export async function startTcpProxy(scope: Scope, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const through = new Set<readonly [Socket, Socket]>();
  let isSwallowing = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (isSwallowing) return;
    const target = connect(targetPort, "127.0.0.1");
    keep(target);
    const pair = [client, target] as const;
    through.add(pair);
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on("data", (bytes) => through.has(pair) && to.write(bytes));
      from.once("close", () => through.delete(pair) && to.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  scope.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    // A server that listens on a port has this address.
    port: (server.address() as AddressInfo).port,
    swallow() {
      isSwallowing = true;
      through.clear();
    },
    heal() {
      isSwallowing = false;
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
