import { once } from "node:events";
import type { Scope } from "../test/support/scope.ts";
import { startPinned, type Core } from "./pinned.ts";

/** Starts a module as a process, by itself on the other side's core, and returns what it says first. */
export async function startPeer(
  scope: Scope,
  module: string,
  { args = [], core = "other" }: { readonly args?: readonly string[]; readonly core?: Core } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const child = startPinned([module, ...args], core);
  const ended = once(child, "exit");
  scope.after(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const [told] = (await once(child, "message")) as [Readonly<Record<string, unknown>>]; // Node's signature of the event.
  return told;
}
