import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { Findings } from "./findings.ts";
import { judgeRestarts, restart } from "./restart.ts";
import { startSite } from "./site.ts";

/** Three nodes behind a balancer are restarted one after the other, as an upgrade does. */
export const rollingRestart: Campaign = {
  name: "rolling-restart",
  fault: "SIGTERM of three nodes behind a balancer, one after the other",
  rounds: { short: 1, full: 20 },
  defect: {
    mistake: "a node that ends closes its door before a balancer knows",
    file: "main.ts",
    replace: `  if (signal === "SIGTERM") await wait(DRAIN_MS);`,
    by: `  if (signal === "SIGTERM") await wait(DRAIN_MS / DRAIN_MS);`,
    breaks: /requests failed/,
  },
  async run(order) {
    const findings = new Findings(order);
    const site = await startSite(order, { database: "postgres", nodes: 3, perSecond: 120 });
    const { load, nodes, receiver } = site;
    receiver.delayMs = 100;
    load.start();
    for (let round = 1; round <= order.rounds; round += 1) {
      for (const node of nodes) await restart(node, findings);
      findings.runs = round;
      order.say(`restarted all ${round} times, ${load.accepted.size} accepted`);
    }
    // Nothing is cut off, so nothing is sent again.
    findings.duplicatesMax = 0;
    await account(site, findings);
    judgeRestarts(load, findings);
    return findings;
  },
};
