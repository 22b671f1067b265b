import { startTocsin } from "../peers/tocsin.ts";
import { ManualScope } from "../../test/support/scope.ts";
import type { Round } from "../case.ts";
import { readProcessorUs } from "../processes.ts";

/** Starts the server on the data of an earlier start, and sends it a request. */
export async function work({ dataDir }: { readonly dataDir: string }): Promise<Round> {
  const scope = new ManualScope();
  try {
    const since = performance.now();
    const { url, child } = await startTocsin(scope, { dataDir, core: "any" });
    const { status } = await fetch(`${url}/readyz`);
    if (status !== 200) throw new Error(`/readyz responded with ${status}.`);
    const startMs = performance.now() - since;
    return { startMs, processorMs: readProcessorUs(child.pid ?? 0) / 1_000 };
  } finally {
    await scope.end();
  }
}
