import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { Findings } from "./findings.ts";
import { checkRestarts, restartNode } from "./restart.ts";
import { startSite } from "./site.ts";

/** Restarts three nodes behind a load balancer one after another, like an upgrade. */
export const rollingRestart: Campaign = {
  name: "rolling-restart",
  fault: "SIGTERM of three nodes behind a balancer, one after the other",
  rounds: { short: 1, full: 20 },
  defects: [
    {
      mistake: "a stopping node closes its port before the load balancer knows",
      file: "main.ts",
      replace: `  if (signal === "SIGTERM") await wait(DRAIN_MS);`,
      by: `  if (signal === "SIGTERM") await wait(DRAIN_MS / DRAIN_MS);`,
      breaks: /requests failed/,
    },
    {
      mistake: "a job is stored without the lease of its node",
      file: "delivery/store/accept-plan.ts",
      replace: "    run_at: runAt,",
      by: "    run_at: runAt - LEASE_MS,",
      breaks: /duplicates, above the limit/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const site = await startSite(run, { database: "postgres", nodes: 3, perSecond: 120 });
    const { load, nodes, pushService } = site;
    pushService.delayMs = 100;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      for (const node of nodes) await restartNode(node, findings);
      findings.runCount = round;
      run.reportProgress(`restarted all ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    // Nothing is interrupted, so nothing is sent again.
    findings.duplicatesMax = 0;
    await verifyDeliveries(site, findings);
    checkRestarts(load, findings);
    return findings;
  },
};
