import { once } from "node:events";
import { startPinned } from "./pinned.ts";
import type { BenchScope } from "./case.ts";

/** Starts a module as a process on the last core, and returns what it says first. */
export async function startPeer(
  scope: BenchScope,
  module: string,
): Promise<Readonly<Record<string, unknown>>> {
  const child = startPinned([module], "last");
  const ended = once(child, "exit");
  scope.after(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const [told] = (await once(child, "message")) as [Readonly<Record<string, unknown>>]; // Node's signature of the event.
  return told;
}
