import { setTimeout as wait } from "node:timers/promises";
import { createTcpProxies, type TcpProxy } from "../support/tcp-proxy.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import { openDatabaseReader } from "./database-reader.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { randomBetween } from "./random-between.ts";
import { Findings } from "./findings.ts";
import type { FailureKind } from "./load.ts";
import { startSite, type Site } from "./site.ts";

const NODE_COUNT = 2;
const ACCEPT_AGAIN_MAX_MS = 4_000;
/**
 * If the network comes back in between, a request may reach each timeout in turn: 1.5 s for reads, 1 s in the queue, 1.75 s for
 * a connection and 2 s for the commit.
 */
const RESPONSE_MAX_MS = 6_250;
/** Factor for the time limit in a short run. */
const SHORT_LENIENCY = 4;
/** Delays each commit by 50 ms, so that one is nearly always in progress when the network stalls. */
const SLOW_COMMITS = ["-ccommit_delay=50000", "-ccommit_siblings=0"];
/** From the timeout for database responses (2 s) to below the timeout for dead nodes (8 s). */
const STALL_MIN_MS = 2_000;
const STALL_MAX_MS = 6_000;
/** Maximum delay of a stalled connection after the network is back. */
const RESUME_DELAY_MAX_MS = 2_000;
/** Time until everything on stalled connections has arrived. */
const SETTLED_MS = 2 * RESUME_DELAY_MAX_MS;

/** Stalls the network between the nodes and PostgreSQL: some commits arrive after the response to their senders. */
export const stallNetwork: Campaign = {
  name: "stall-network",
  fault: "the network to PostgreSQL stalls for 2 to 6 s, and then delivers everything",
  rounds: { short: 3, full: 30 },
  defects: [
    {
      mistake: "a commit whose reply was lost is reported as not stored",
      file: "delivery/store/accept-plan.ts",
      replace: "    if (!(error instanceof InDoubtError)) throw error;\n",
      by: "    if (error instanceof Error) throw error;\n",
      breaks: /were reported as not stored, but are/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const { proxies, startProxyFor } = createTcpProxies(run.scope);
    const site = await startSite(run, {
      database: "postgres",
      nodes: NODE_COUNT,
      perSecond: 40,
      keepsRate: true,
      flags: SLOW_COMMITS,
      getDatabasePort: startProxyFor,
    });
    const { load, pushService } = site;
    pushService.delayMs = 50;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(2_000, 4_000));
      await stallOnce(proxies);
      findings.recordDuration("first accepted again", await load.waitUntilAccepted());
      findings.runCount = round;
      run.reportProgress(`stalled ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    // A long stall and the resume delay together may last until other nodes take over the jobs of a node.
    findings.duplicatesMax = run.rounds * NODE_COUNT * DUPLICATES_PER_CRASH_MAX;
    await verifyDeliveries(site, findings);
    await compareResponses(site, findings);
    checkLatencies(site, findings, run.isShort);
    return findings;
  },
};

/** Stalls each node's network for a random time; old connections come back later than new ones. */
async function stallOnce(proxies: readonly TcpProxy[]): Promise<void> {
  const stalls = proxies.map(async (proxy) => {
    proxy.stall();
    await wait(randomBetween(STALL_MIN_MS, STALL_MAX_MS));
    proxy.resume(RESUME_DELAY_MAX_MS);
  });
  await Promise.all(stalls);
}

/** Compares the responses with the stored notifications, after everything on the network has arrived. */
async function compareResponses({ load, location }: Site, findings: Findings): Promise<void> {
  await wait(SETTLED_MS);
  const reader = await openDatabaseReader(location);
  const rows = await reader.query<{ title: string }>("select title from notification");
  await reader.close();
  const storedTitles = new Set(rows.map(({ title }) => title));
  // Repeated requests are stored in the end: `verifyDeliveries` checks that each is stored once.
  const failedRequests = [...load.failuresByTitle].filter(
    ([title]) => !load.repeatedTitles.has(title),
  );
  const listRequestsByFailure = (failure: FailureKind) =>
    failedRequests.filter(([, counts]) => counts[failure] > 0);
  const notStored = listRequestsByFailure("not stored");
  const wronglyReported = notStored.filter(([title]) => storedTitles.has(title));
  const maybeStored = listRequestsByFailure("maybe stored");
  const storedCount = maybeStored.filter(([title]) => storedTitles.has(title)).length;
  const requestCount = load.acceptedLatenciesMs.length + load.failedLatenciesMs.length;
  findings.addNote(
    `of ${requestCount} requests, ${notStored.length} that were not repeated were told that nothing is stored, ` +
      `${wronglyReported.length} of them wrongly`,
  );
  findings.addNote(`${maybeStored.length} said that it may be stored; ${storedCount} were`);
  findings.expect(
    wronglyReported.length === 0,
    `${wronglyReported.length} were reported as not stored, but are`,
  );
  const unanswered = listRequestsByFailure("no response").length;
  findings.expect(unanswered === 0, `${unanswered} requests got no response`);
}

function checkLatencies({ load }: Site, findings: Findings, isShort: boolean): void {
  findings.checkDurations("first accepted again", ACCEPT_AGAIN_MAX_MS);
  const slowestMs = load.slowestMs;
  findings.addNote(`the slowest response: ${Math.round(slowestMs)} ms`);
  const slowestMaxMs = RESPONSE_MAX_MS * (isShort ? SHORT_LENIENCY : 1);
  findings.expectTiming(
    slowestMs <= slowestMaxMs,
    `the slowest response took ${Math.round(slowestMs)} ms`,
  );
}
