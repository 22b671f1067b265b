import { setTimeout as wait } from "node:timers/promises";
import type { Findings } from "./findings.ts";
import type { Load } from "./load.ts";
import type { SiteNode } from "./site-node.ts";

const PAUSE_MS = 500;
const EXIT_MAX_MS = 15_000;

/** Terminates a node gracefully and starts it again. */
export async function restart(node: SiteNode, findings: Findings): Promise<void> {
  await wait(PAUSE_MS);
  const since = performance.now();
  const code = await node.terminate();
  findings.time("exit", performance.now() - since);
  findings.expect(code === 0, `a node ended with code ${code}`);
  await node.start();
}

/** Checks graceful restarts: nodes exit in time, and no request fails. */
export function checkRestarts({ failedMs }: Load, findings: Findings): void {
  findings.checkTimes("exit", EXIT_MAX_MS);
  findings.expect(failedMs.length === 0, `${failedMs.length} requests failed`);
}
