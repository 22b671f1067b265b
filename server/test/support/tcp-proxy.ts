import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import type { Scope } from "./scope.ts";

/** A proxy between a client and a server that can simulate network faults. */
export interface TcpProxy {
  readonly port: number;
  /** Drops all data silently. New connections are accepted but receive nothing. */
  swallow(): void;
  /** Forwards new connections again. Earlier ones stay dead. */
  heal(): void;
  /** Stalls the network: data and closes are delivered after `goOn`. */
  stall(): void;
  /** Forwards new connections. Earlier ones stay stalled. */
  letNewThrough(): void;
  /**
   * Forwards new connections immediately. Each stalled one resumes after at most `withinMs`, because TCP retransmits at growing
   * intervals, and delivers its data in order.
   */
  goOn(withinMs: number): void;
  /** Closes every connection on both sides. New ones are forwarded. */
  cut(): void;
}

/** Starts a proxy in front of a local port. It ends with the scope. */
export async function startTcpProxy(scope: Scope, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const forwarded = new Set<readonly [Socket, Socket]>();
  let isSwallowing = false;
  let isStalling = false;
  const queues = new Set<ConnectionQueue>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    if (isSwallowing) return;
    const target = connect(targetPort, "127.0.0.1");
    track(target);
    const pair = [client, target] as const;
    forwarded.add(pair);
    const queue = new ConnectionQueue(isStalling);
    queues.add(queue);
    target.once("close", () => queues.delete(queue));
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on("data", (bytes) => queue.add(() => forwarded.has(pair) && to.write(bytes)));
      // Earlier packets arrive before the close.
      from.once("close", () => queue.close(() => forwarded.delete(pair) && to.destroy()));
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
    // A server that listens on a port has an address of this type.
    port: (server.address() as AddressInfo).port,
    swallow() {
      isSwallowing = true;
      forwarded.clear();
    },
    heal() {
      isSwallowing = false;
    },
    stall() {
      isStalling = true;
      for (const queue of queues) queue.stall();
    },
    letNewThrough() {
      isStalling = false;
    },
    goOn(withinMs) {
      isStalling = false;
      for (const queue of queues) setTimeout(() => queue.goOn(), Math.random() * withinMs).unref();
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns a function that starts a proxy for a port. The proxies end with the scope. */
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

const CLOSE_DELAY_MS = 500;

/** The event queue of a connection: runs events immediately, or later and in order while it is stalled. */
class ConnectionQueue {
  #pending: (() => void)[] | null = null;

  constructor(isStalled: boolean) {
    if (isStalled) this.stall();
  }

  stall(): void {
    this.#pending ??= [];
  }

  goOn(): void {
    const pending = this.#pending ?? [];
    this.#pending = null;
    for (const run of pending) run();
  }

  /** A close during a stall arrives some time after the earlier data, because its packet travels separately. */
  close(run: () => void): void {
    if (this.#pending === null) run();
    else this.#pending.push(() => setTimeout(run, CLOSE_DELAY_MS).unref());
  }

  add(run: () => void): void {
    if (this.#pending === null) run();
    else this.#pending.push(run);
  }
}
