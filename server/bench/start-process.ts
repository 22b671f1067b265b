import { once } from "node:events";
import { join } from "node:path";
import type { Scope } from "../test/support/scope.ts";
import { startPinned } from "./cpu-pinning.ts";

/** The first message of a process when it is ready: its origin and further values. */
export type ReadyMessage = Readonly<Record<string, unknown>> & { readonly origin: string };

/** Starts a file under `support/` as a process, on the core that the measured process does not use. */
export async function startProcess(
  scope: Scope,
  name: "answering-service" | "bare-fastify" | "bare-web-sockets" | "https-sink",
  { args = [] }: { readonly args?: readonly string[] } = {},
): Promise<ReadyMessage> {
  const module = join(import.meta.dirname, "support", `${name}.ts`);
  const child = startPinned([module, ...args], "other");
  const ended = once(child, "exit");
  scope.after(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const [firstMessage] = (await once(child, "message")) as [ReadyMessage]; // Each of these files sends it first.
  return firstMessage;
}
