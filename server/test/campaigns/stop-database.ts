import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { randomBetween } from "./random-between.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const FIRST_ACCEPT = "first accept after the restart";
const FIRST_ACCEPT_MAX_MS = 3_000;
const FAILED = "failed while it was down";
const FAILURE_MAX_MS = 2_000;
const NODE_COUNT = 2;

/** Stops PostgreSQL without a clean shutdown, and restarts it. */
export const stopDatabase: Campaign = {
  name: "stop-database",
  fault: "PostgreSQL stopped in immediate mode, and started again",
  rounds: { short: 1, full: 30 },
  defects: [
    {
      mistake: "commits are acknowledged before they are durable",
      file: "database/postgres.ts",
      replace: `    application_name: "tocsin",`,
      by: `    application_name: "tocsin", options: "-c synchronous_commit=off",`,
      breaks: /accepted notifications are not stored/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const site = await startSite(run, { database: "postgres", nodes: NODE_COUNT, perSecond: 150 });
    const { load, cluster } = site;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(1_000, 4_000));
      await cluster?.crash();
      await wait(randomBetween(100, 2_000));
      await cluster?.restart();
      findings.recordDuration(FIRST_ACCEPT, await load.waitUntilAccepted());
      findings.runCount = round;
      run.reportProgress(`stopped ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    // A result that could not be committed is kept and committed later: nothing is sent twice.
    findings.duplicatesMax = 0;
    await verifyDeliveries(site, findings);
    findings.checkDurations(FIRST_ACCEPT, FIRST_ACCEPT_MAX_MS);
    for (const ms of load.failedLatenciesMs) findings.recordDuration(FAILED, ms);
    findings.checkDurations(FAILED, FAILURE_MAX_MS);
    return findings;
  },
};
