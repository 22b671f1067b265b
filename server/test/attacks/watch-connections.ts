import { Socket } from "node:net";
import type { TestContext } from "node:test";

/** Returns the list of addresses, `ip:port`, that sockets of this process try to reach from now on. */
export function watchConnections(test: TestContext): readonly string[] {
  const attempted: string[] = [];
  // Patches Node's prototype and restores it below: only a patch sees every socket, including those of libraries.
  const connect: unknown = Reflect.get(Socket.prototype, "connect");
  if (typeof connect !== "function") throw new Error("Socket.prototype.connect is not a function.");
  const watch = function watch(this: Socket, ...args: unknown[]) {
    this.on("connectionAttempt", (ip: string, port: number) => attempted.push(`${ip}:${port}`));
    return Reflect.apply(connect, this, args);
  };
  Object.assign(Socket.prototype, { connect: watch });
  test.after(() => Object.assign(Socket.prototype, { connect }));
  return attempted;
}
