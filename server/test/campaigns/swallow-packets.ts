import { setTimeout as wait } from "node:timers/promises";
import { createTcpProxies } from "../support/tcp-proxy.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { randomBetween } from "./random-between.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const RESPONSE_MAX_MS = 4_000;
/** Lenient, but still below the latencies that the defect causes. */
const SHORT_LENIENCY = 4;
const FIRST_ACCEPTED_MAX_MS = 3_000;
const NODE_COUNT = 2;

/** Drops all packets between PostgreSQL and one node or all nodes. */
export const swallowPackets: Campaign = {
  name: "swallow-packets",
  fault: "the network to PostgreSQL drops all packets, for one node or all",
  rounds: { short: 2, full: 20 },
  defects: [
    {
      mistake: "a database reply is awaited without a timeout",
      file: "database/postgres.ts",
      replace: "query_timeout: timeoutMs ?? RESPONSE_TIMEOUT_MS,",
      by: "query_timeout: timeoutMs ?? 0,",
      breaks: /the slowest response/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const { proxies, startProxyFor } = createTcpProxies(run.scope);
    const site = await startSite(run, {
      database: "postgres",
      nodes: NODE_COUNT,
      perSecond: 120,
      getDatabasePort: startProxyFor,
    });
    const { load, pushService } = site;
    pushService.delayMs = 50;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(500, 2_000));
      const isForAll = round % 2 === 0;
      const affected = isForAll ? proxies : proxies.slice(0, 1);
      for (const proxy of affected) proxy.blackhole();
      // Long enough for the other nodes to take over.
      await wait(randomBetween(5_000, 12_000));
      for (const proxy of affected) proxy.restore();
      if (isForAll)
        findings.recordDuration("first accepted once healed", await load.waitUntilAccepted());
      findings.runCount = round;
      run.reportProgress(`cut off ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    findings.duplicatesMax = run.rounds * NODE_COUNT * DUPLICATES_PER_CRASH_MAX;
    await verifyDeliveries(site, findings);
    if (run.rounds > 1)
      findings.checkDurations("first accepted once healed", FIRST_ACCEPTED_MAX_MS);
    const slowestMs = load.slowestMs;
    findings.addNote(`the slowest response: ${Math.round(slowestMs)} ms`);
    const slowestMaxMs = RESPONSE_MAX_MS * (run.isShort ? SHORT_LENIENCY : 1);
    findings.expectTiming(
      slowestMs <= slowestMaxMs,
      `the slowest response took ${Math.round(slowestMs)} ms`,
    );
    return findings;
  },
};
