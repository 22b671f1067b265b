import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import type { Scope } from "./scope.ts";

/** Stands between a client and a server, and may become a network that swallows what it is given. */
export interface TcpProxy {
  readonly port: number;
  /** From now on nothing goes through, and nobody is told; new connections are made, and hear nothing. */
  swallow(): void;
  /** Lets new connections through; those of before stay dead. */
  heal(): void;
  /** From now on the network stands still: what is sent, and who hangs up, arrives when it goes on. */
  stall(): void;
  /** Lets new connections through; those of before stand still. */
  letNewThrough(): void;
  /**
   * Lets new connections through at once; each one of before goes on after at most `laterMs`, as TCP sends again at longer and
   * longer intervals. What stood still is delivered in its order.
   */
  goOn(laterMs: number): void;
  /** Breaks every connection, as both sides notice; new ones go through. */
  cut(): void;
}

/** Starts a proxy before a port of this machine; it ends with the scope. */
export async function startTcpProxy(scope: Scope, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const through = new Set<readonly [Socket, Socket]>();
  let isSwallowing = false;
  let isStalling = false;
  const ways = new Set<Way>();
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
    const way = new Way(isStalling);
    ways.add(way);
    target.once("close", () => ways.delete(way));
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on("data", (bytes) => way.pass(() => through.has(pair) && to.write(bytes)));
      // Packets sent before arrive before it.
      from.once("close", () => way.hangUp(() => through.delete(pair) && to.destroy()));
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
    stall() {
      isStalling = true;
      for (const way of ways) way.stall();
    },
    letNewThrough() {
      isStalling = false;
    },
    goOn(laterMs) {
      isStalling = false;
      for (const way of ways) setTimeout(() => way.goOn(), Math.random() * laterMs).unref();
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Starts a proxy for each server that is named to it; they end with the scope. */
export function tcpProxiesOf(scope: Scope): {
  readonly proxies: readonly TcpProxy[];
  readonly portOf: (targetPort: number) => Promise<number>;
} {
  const proxies: TcpProxy[] = [];
  const portOf = async (targetPort: number) => {
    const proxy = await startTcpProxy(scope, targetPort);
    proxies.push(proxy);
    return proxy.port;
  };
  return { proxies, portOf };
}

const HANG_UP_LATER_MS = 500;

/** The way of one connection: what is to happen on it happens at once, or later and in order where it stands still. */
class Way {
  #later: (() => void)[] | null = null;

  constructor(isStalled: boolean) {
    if (isStalled) this.stall();
  }

  stall(): void {
    this.#later ??= [];
  }

  goOn(): void {
    const later = this.#later ?? [];
    this.#later = null;
    for (const run of later) run();
  }

  /** A hang-up during a standstill arrives after the data sent before it: its packet travels separately. */
  hangUp(run: () => void): void {
    if (this.#later === null) run();
    else this.#later.push(() => setTimeout(run, HANG_UP_LATER_MS).unref());
  }

  pass(run: () => void): void {
    if (this.#later === null) run();
    else this.#later.push(run);
  }
}
