import { setTimeout as wait } from "node:timers/promises";
import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_OF_DEATH, somewhereBetween } from "./faults.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

/** Longer than a node may be silent, and not so long that its requests end by themselves: it has results of others' work. */
const SHORT_FREEZE_MS = 9_300;
/** Longer than any lease. */
const LONG_FREEZE_MS = 60_000;
/** A load balancer sees that a node does not answer. */
const NOTICED_MS = 1_000;

/** One of three nodes stands still, is taken over from, and goes on as if nothing were. */
export const freezeNode: Campaign = {
  name: "freeze-node",
  fault: "SIGSTOP of one of three nodes, for 9 s or 60 s, then SIGCONT",
  rounds: { short: 1, full: 20 },
  defect: {
    mistake: "results are recorded whoever holds the lease",
    file: "delivery/store/settle.ts",
    replace:
      "  return sql<boolean>`exists (select 1 from send_job where id = ${jobId} and epoch = ${epoch})`;",
    by: "  return sql<boolean>`${jobId !== String(epoch)}`;",
    breaks: /two recorded outcomes/,
  },
  async run(order) {
    const findings = new Findings(order);
    // A request that stood still with its node took too long to arrive.
    const options = { database: "postgres", nodes: 3, perSecond: 120, statuses: [400] } as const;
    const site = await startSite(order, options);
    const { load, nodes, receiver } = site;
    receiver.delayMs = 100;
    load.start();
    for (let round = 1; round <= order.rounds; round += 1) {
      await wait(somewhereBetween(500, 2_000));
      const victim = nodes[round % nodes.length] ?? nodes[0];
      victim.freeze();
      await wait(NOTICED_MS);
      victim.isServing = false;
      await wait(round % 2 === 1 ? SHORT_FREEZE_MS : LONG_FREEZE_MS);
      victim.thaw();
      victim.isServing = true;
      findings.runs = round;
      order.say(`frozen ${round} times, ${load.accepted.size} accepted`);
    }
    findings.duplicatesMax = order.rounds * DUPLICATES_OF_DEATH;
    await account(site, findings);
    return findings;
  },
};
