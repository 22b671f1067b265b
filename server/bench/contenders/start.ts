import { startTocsin } from "../support/tocsin.ts";
import { ManualScope } from "../../test/support/scope.ts";
import type { Round } from "../case.ts";
import { readCpuUs } from "../process-figures.ts";

/** Starts the server on the data of an earlier start, and sends it a request. */
export async function measureRound({ dataDir }: { readonly dataDir: string }): Promise<Round> {
  const scope = new ManualScope();
  try {
    const startedAt = performance.now();
    const { url, child } = await startTocsin(scope, { dataDir, core: "any", code: "bundle" });
    const { status } = await fetch(`${url}/readyz`);
    if (status !== 200) throw new Error(`/readyz responded with ${status}.`);
    const startMs = performance.now() - startedAt;
    return { startMs, processorMs: readCpuUs(child.pid ?? 0) / 1_000 };
  } finally {
    await scope.end();
  }
}
