import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { randomBetween } from "./random-between.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

/**
 * Longer than a node's lease, but shorter than its requests' timeouts: the node continues with results of jobs that
 * other nodes took over.
 */
const SHORT_FREEZE_MS = 9_300;
/** Longer than any lease. */
const LONG_FREEZE_MS = 60_000;
/** Time until a load balancer detects a node that does not respond. */
const DETECTION_MS = 1_000;

/** Freezes one of three nodes until others take over its jobs, then lets it continue. */
export const freezeNode: Campaign = {
  name: "freeze-node",
  fault: "SIGSTOP of one of three nodes, for 9 s or 60 s, then SIGCONT",
  rounds: { short: 1, full: 20 },
  defects: [
    {
      mistake: "results are recorded without a check of the lease",
      file: "delivery/store/settle-statements.ts",
      replace:
        "  return sql<boolean>`exists (select 1 from send_job where id = ${jobId} and epoch = ${epoch})`;",
      by: "  return sql<boolean>`${jobId !== String(epoch)}`;",
      breaks: /two recorded outcomes/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    // A request frozen with its node may exceed the body timeout, which is a 400.
    const site = await startSite(run, {
      database: "postgres",
      nodes: 3,
      perSecond: 120,
      expectedStatuses: [400],
    });
    const { load, nodes, pushService } = site;
    pushService.delayMs = 100;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(500, 2_000));
      const victim = nodes[round % nodes.length] ?? nodes[0];
      victim.freeze();
      await wait(DETECTION_MS);
      victim.isServing = false;
      await wait(round % 2 === 1 ? SHORT_FREEZE_MS : LONG_FREEZE_MS);
      victim.thaw();
      victim.isServing = true;
      findings.runCount = round;
      run.reportProgress(`frozen ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    findings.duplicatesMax = run.rounds * DUPLICATES_PER_CRASH_MAX;
    await verifyDeliveries(site, findings);
    return findings;
  },
};
