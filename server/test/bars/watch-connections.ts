import { Socket } from "node:net";
import type { TestContext } from "node:test";

/** Returns the list of addresses, `ip:port`, that sockets of this process try to reach from now on. */
export function watchConnections(test: TestContext): readonly string[] {
  const tried: string[] = [];
  // Node's own prototype, restored below: nothing else sees every socket, those of libraries too.
  const connect: unknown = Reflect.get(Socket.prototype, "connect");
  if (typeof connect !== "function") throw new Error("Sockets cannot connect.");
  const watch = function watch(this: Socket, ...args: unknown[]) {
    this.on("connectionAttempt", (ip: string, port: number) => tried.push(`${ip}:${port}`));
    return Reflect.apply(connect, this, args);
  };
  Object.assign(Socket.prototype, { connect: watch });
  test.after(() => Object.assign(Socket.prototype, { connect }));
  return tried;
}
