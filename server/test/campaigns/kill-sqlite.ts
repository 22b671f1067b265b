import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import { ACCEPT_DEFECTS } from "./accept-defects.ts";
import type { Campaign } from "./campaign.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { randomBetween } from "./random-between.ts";

const FIRST_SEND_MAX_MS = 2_000;
/** Ends the wait for the first send. */
const SEND_WAIT_MAX_MS = 20_000;

/** Kills the server on SQLite at random times and restarts it immediately. */
export const killSqlite: Campaign = {
  name: "kill-sqlite",
  fault: "kill -9 of the server on SQLite, and an immediate restart",
  rounds: { short: 2, full: 200 },
  defects: ACCEPT_DEFECTS,
  async run(run) {
    const findings = new Findings(run);
    const site = await startSite(run, { database: "sqlite", nodes: 1, perSecond: 200 });
    const { load, pushService, nodes } = site;
    const [node] = nodes;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(200, 3_000));
      await node.kill();
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      const startedAt = performance.now();
      await node.start();
      const listeningAt = performance.now();
      pushService.onMessage = () => resolve();
      const isSent = await Promise.race([sent.then(() => true), wait(SEND_WAIT_MAX_MS, false)]);
      const sentAt = isSent ? performance.now() : Number.POSITIVE_INFINITY;
      findings.recordDuration("from listening to the first send", sentAt - listeningAt);
      findings.recordDuration("from start to the first send", sentAt - startedAt);
      findings.runCount = round;
      run.reportProgress(`killed ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    findings.duplicatesMax = run.rounds * DUPLICATES_PER_CRASH_MAX;
    await verifyDeliveries(site, findings);
    findings.checkDurations("from start to the first send", FIRST_SEND_MAX_MS);
    return findings;
  },
};
