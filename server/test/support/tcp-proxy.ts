import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import type { Scope } from "./scope.ts";

/** A proxy between a client and a server that can simulate network faults. */
export interface TcpProxy {
  readonly port: number;
  /** Drops all data silently, as a broken network does. New connections are accepted but receive nothing. */
  blackhole(): void;
  /** Forwards new connections again. Earlier connections stay dead. */
  restore(): void;
  /** Stalls the network: data and closes are delivered after `resume`. */
  stall(): void;
  /** Forwards new connections. Earlier connections stay stalled. */
  forwardNewConnections(): void;
  /**
   * Forwards new connections immediately. Each stalled connection resumes after at most `withinMs`, because TCP
   * retransmits at growing intervals, and delivers its data in order.
   */
  resume(withinMs: number): void;
  /** Closes every connection on both sides. New connections are forwarded. */
  closeConnections(): void;
}

/** Starts a proxy in front of a local port. It ends with the scope. */
export async function startTcpProxy(scope: Scope, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const forwardedPairs = new Set<readonly [Socket, Socket]>();
  const network = { isBlackhole: false, isStalling: false };
  const queues = new Set<ConnectionQueue>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    if (network.isBlackhole) return;
    const target = connect(targetPort, "127.0.0.1");
    track(target);
    const pair = [client, target] as const;
    forwardedPairs.add(pair);
    const queue = new ConnectionQueue(network.isStalling);
    queues.add(queue);
    target.once("close", () => queues.delete(queue));
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on("data", (bytes) => queue.add(() => forwardedPairs.has(pair) && to.write(bytes)));
      // Earlier packets arrive before the close.
      from.once("close", () => queue.close(() => forwardedPairs.delete(pair) && to.destroy()));
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
    blackhole() {
      network.isBlackhole = true;
      forwardedPairs.clear();
    },
    restore() {
      network.isBlackhole = false;
    },
    stall() {
      network.isStalling = true;
      for (const queue of queues) queue.stall();
    },
    forwardNewConnections() {
      network.isStalling = false;
    },
    resume(withinMs) {
      network.isStalling = false;
      for (const queue of queues)
        setTimeout(() => queue.resume(), Math.random() * withinMs).unref();
    },
    closeConnections() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Returns a function that starts a proxy in front of a port and resolves with the proxy's port, and the list of these
 * proxies. They end with the scope.
 */
export function createTcpProxies(scope: Scope): {
  readonly proxies: readonly TcpProxy[];
  readonly startProxyFor: (targetPort: number) => Promise<number>;
} {
  const proxies: TcpProxy[] = [];
  const startProxyFor = async (targetPort: number) => {
    const proxy = await startTcpProxy(scope, targetPort);
    proxies.push(proxy);
    return proxy.port;
  };
  return { proxies, startProxyFor };
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

  resume(): void {
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
