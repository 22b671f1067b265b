import { setTimeout as wait } from "node:timers/promises";
import type { Findings } from "./findings.ts";
import type { Load } from "./load.ts";
import type { SiteNode } from "./site-node.ts";

const PAUSE_MS = 500;
const EXIT_MAX_MS = 15_000;

/**
 * The time within which a load balancer must notice that a node is stopping, in milliseconds: the node accepts requests
 * for 3 seconds, and a request that was sent just before needs time to arrive.
 */
const NOTICED_MAX_MS = 2_500;

/** Terminates a node gracefully and starts it again. */
export async function restartNode(node: SiteNode, findings: Findings): Promise<void> {
  await wait(PAUSE_MS);
  const startedAt = performance.now();
  const { exitCode, noticedMs } = await node.terminate();
  findings.recordDuration("exit", performance.now() - startedAt);
  findings.recordDuration("notice", noticedMs);
  findings.expect(exitCode === 0, `a node exited with code ${exitCode}`);
  await node.start();
}

/** Checks graceful restarts: nodes exit in time, and no request fails. */
export function checkRestarts(load: Load, findings: Findings): void {
  findings.checkDurations("exit", EXIT_MAX_MS);
  const { unavailableCount } = load;
  const timing = `${unavailableCount} requests failed, as the database did not respond in time`;
  findings.expectTiming(unavailableCount === 0, timing);
  const slowestMs = findings.getSlowestMs("notice");
  // On a machine this busy, the campaign's own load balancer sent requests to a node whose port was closed.
  const excusedCount = slowestMs > NOTICED_MAX_MS ? load.refusedConnectionCount : 0;
  if (excusedCount > 0) {
    findings.addNote(
      `${excusedCount} refused connections not checked: a health check took ${Math.round(slowestMs)} ms`,
    );
  }
  const failedCount = load.failedLatenciesMs.length - unavailableCount - excusedCount;
  findings.expect(failedCount === 0, `${failedCount} requests failed`);
}
