import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import { openDatabaseReader, type DatabaseReader } from "./database-reader.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { randomBetween } from "./random-between.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const TAKEOVER_MAX_MS = 10_000;
const POLL_INTERVAL_MS = 50;
/** The wait ends after this time, so that a missing takeover is reported as a finding. */
const TAKEOVER_WAIT_MAX_MS = 45_000;

/** Kills one of three nodes; the others take over its jobs. */
export const killNode: Campaign = {
  name: "kill-node",
  fault: "kill -9 of one of three nodes on PostgreSQL",
  rounds: { short: 1, full: 100 },
  defects: [
    {
      mistake: "the jobs of a dead node wait until their leases expire",
      file: "delivery/worker/worker.ts",
      replace: "    const jobs = await store.reclaim(nodeIds);",
      by: "    const jobs = nodeIds.length - nodeIds.length;",
      breaks: /taken over: p99/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const site = await startSite(run, { database: "postgres", nodes: 3, perSecond: 120 });
    const { load, nodes, pushService, location } = site;
    const reader = await openDatabaseReader(location);
    run.scope.after(() => reader.close());
    // Slow responses, so that requests are always in progress at a kill.
    pushService.delayMs = 100;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(500, 1_500));
      const victim = nodes[round % nodes.length] ?? nodes[0];
      const nodeIdsBefore = await listNodeIds(reader);
      await victim.kill();
      const killedAt = performance.now();
      await victim.start();
      const isTakenOver = await waitForTakeover(reader, nodeIdsBefore);
      const takenOverAt = isTakenOver ? performance.now() : Number.POSITIVE_INFINITY;
      findings.recordDuration("taken over", takenOverAt - killedAt);
      findings.runCount = round;
      run.reportProgress(`killed ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    findings.duplicatesMax = run.rounds * DUPLICATES_PER_CRASH_MAX;
    await verifyDeliveries(site, findings);
    findings.checkDurations("taken over", TAKEOVER_MAX_MS);
    return findings;
  },
};

/** Resolves with true once a node is removed and no longer owns any job, or with false after the time limit. */
async function waitForTakeover(
  reader: DatabaseReader,
  nodeIdsBefore: ReadonlySet<string>,
): Promise<boolean> {
  const deadlineAt = performance.now() + TAKEOVER_WAIT_MAX_MS;
  while (performance.now() < deadlineAt) {
    const livingIds = await listNodeIds(reader);
    const removedIds = [...nodeIdsBefore].filter((id) => !livingIds.has(id));
    const owners = await reader.query<{ owner: string }>("select distinct owner from send_job");
    if (removedIds.length > 0 && owners.every(({ owner }) => !removedIds.includes(owner)))
      return true;
    await wait(POLL_INTERVAL_MS);
  }
  return false;
}

async function listNodeIds(reader: DatabaseReader): Promise<ReadonlySet<string>> {
  const rows = await reader.query<{ id: string }>("select id from node");
  return new Set(rows.map(({ id }) => id));
}
