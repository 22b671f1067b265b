import { startTocsin } from "../peers/tocsin.ts";
import { OwnScope } from "../../test/support/scope.ts";
import type { Round } from "../case.ts";
import { processorUsOf } from "../processes.ts";

/** Starts the server on the data of an earlier start, and sends it a request. */
export async function work({ dataDir }: { readonly dataDir: string }): Promise<Round> {
  const scope = new OwnScope();
  try {
    const since = performance.now();
    const { url, child } = await startTocsin(scope, { dataDir, core: "any" });
    const { status } = await fetch(`${url}/readyz`);
    if (status !== 200) throw new Error(`It answered with ${status}.`);
    const startMs = performance.now() - since;
    return { startMs, processorMs: processorUsOf(child.pid ?? 0) / 1_000 };
  } finally {
    await scope.end();
  }
}
