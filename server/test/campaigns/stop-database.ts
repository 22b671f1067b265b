import { setTimeout as wait } from "node:timers/promises";
import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { somewhereBetween } from "./faults.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const FIRST_ACCEPTED_MAX_MS = 3_000;
const REFUSED_MAX_MS = 2_000;
const NODES = 2;

/** PostgreSQL is ended at once, as by a crash of its machine, and started again. */
export const stopDatabase: Campaign = {
  name: "stop-database",
  fault: "PostgreSQL stopped at once (immediate), and started again",
  rounds: { short: 1, full: 30 },
  defect: {
    mistake: "commits are answered before they are durable",
    file: "database/postgres.ts",
    replace: `    application_name: "tocsin",`,
    by: `    application_name: "tocsin", options: "-c synchronous_commit=off",`,
    breaks: /accepted notifications are not stored/,
  },
  async run(order) {
    const findings = new Findings(order);
    const site = await startSite(order, { database: "postgres", nodes: NODES, perSecond: 150 });
    const { load, cluster } = site;
    load.start();
    for (let round = 1; round <= order.rounds; round += 1) {
      await wait(somewhereBetween(1_000, 4_000));
      await cluster?.crash();
      await wait(somewhereBetween(100, 2_000));
      await cluster?.restart();
      findings.time("first accepted once it is up", await load.untilAccepted());
      findings.runs = round;
      order.say(`stopped ${round} times, ${load.accepted.size} accepted`);
    }
    // A result that was known and could not be committed is kept and committed later: nothing is sent twice.
    findings.duplicatesMax = 0;
    await account(site, findings);
    findings.judgeTimes("first accepted once it is up", FIRST_ACCEPTED_MAX_MS);
    for (const ms of load.failedMs) findings.time("refused", ms);
    findings.judgeTimes("refused", REFUSED_MAX_MS);
    return findings;
  },
};
