import { setTimeout as wait } from "node:timers/promises";
import { tcpProxiesOf } from "../support/tcp-proxy.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX, randomBetween } from "./fault-limits.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const RESPONSE_MAX_MS = 4_000;
/** Lenient, but still below the latencies that the defect causes. */
const SHORT_LENIENCY = 4;
const FIRST_ACCEPTED_MAX_MS = 3_000;
const NODES = 2;

/** Drops all packets between PostgreSQL and one node or all nodes. */
export const swallowPackets: Campaign = {
  name: "swallow-packets",
  fault: "the network to PostgreSQL drops all packets, for one node or all",
  rounds: { short: 2, full: 20 },
  defect: {
    mistake: "a database reply is awaited without a timeout",
    file: "database/postgres.ts",
    replace: "query_timeout: patienceMs ?? ANSWER_TIMEOUT_MS,",
    by: "query_timeout: patienceMs ?? 0,",
    breaks: /the slowest response/,
  },
  async run(run) {
    const findings = new Findings(run);
    const { proxies, portOf } = tcpProxiesOf(run.scope);
    const options = { database: "postgres", nodes: NODES, perSecond: 120, portOf } as const;
    const site = await startSite(run, options);
    const { load, receiver } = site;
    receiver.delayMs = 50;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(500, 2_000));
      const isForAll = round % 2 === 0;
      const affected = isForAll ? proxies : proxies.slice(0, 1);
      for (const proxy of affected) proxy.swallow();
      // Long enough for the other nodes to take over.
      await wait(randomBetween(5_000, 12_000));
      for (const proxy of affected) proxy.heal();
      if (isForAll) findings.time("first accepted once healed", await load.untilAccepted());
      findings.runs = round;
      run.progress(`cut off ${round} times, ${load.accepted.size} accepted`);
    }
    findings.duplicatesMax = run.rounds * NODES * DUPLICATES_PER_CRASH_MAX;
    await verifyDeliveries(site, findings);
    if (run.rounds > 1) findings.checkTimes("first accepted once healed", FIRST_ACCEPTED_MAX_MS);
    const slowestMs = load.slowestMs;
    findings.note(`the slowest response: ${Math.round(slowestMs)} ms`);
    const slowestMax = RESPONSE_MAX_MS * (run.isShort ? SHORT_LENIENCY : 1);
    findings.expectTime(
      slowestMs <= slowestMax,
      `the slowest response took ${Math.round(slowestMs)} ms`,
    );
    return findings;
  },
};
