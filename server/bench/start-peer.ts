import { once } from "node:events";
import { join } from "node:path";
import type { Scope } from "../test/support/scope.ts";
import { startPinned } from "./cpu-pinning.ts";

/** The first message of a peer when it is ready: its origin and further data. */
export type Peer = Readonly<Record<string, unknown>> & { readonly origin: string };

/** Starts a file under `peers/` as a process on the core of the peers. */
export async function startPeer(
  scope: Scope,
  name: "answering-service" | "bare-fastify" | "https-sink",
  { args = [] }: { readonly args?: readonly string[] } = {},
): Promise<Peer> {
  const module = join(import.meta.dirname, "peers", `${name}.ts`);
  const child = startPinned([module, ...args], "other");
  const ended = once(child, "exit");
  scope.after(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const [firstMessage] = (await once(child, "message")) as [Peer]; // Each peer sends this first.
  return firstMessage;
}
