import { setTimeout as wait } from "node:timers/promises";
import { tcpProxiesOf, type TcpProxy } from "../support/tcp-proxy.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import { openDatabaseReader } from "./database-reader.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX, randomBetween } from "./fault-limits.ts";
import { Findings } from "./findings.ts";
import type { Refusal } from "./load.ts";
import { startSite, type Site } from "./site.ts";

const NODES = 2;
const RECOVERY_MAX_MS = 4_000;
/**
 * If the network comes back in between, a request may reach each timeout in turn: 1.5 s for reads, 1 s in the queue, 1.75 s for
 * a connection and 2 s for the commit.
 */
const RESPONSE_MAX_MS = 6_250;
const SHORT_LENIENCY = 4;
/** Delays each commit by 50 ms, so that one is nearly always in progress when the network stalls. */
const SLOW_COMMITS = ["-ccommit_delay=50000", "-ccommit_siblings=0"];
/** Around the timeout for database replies, and below the timeout for dead nodes. */
const STALL_MIN_MS = 2_000;
const STALL_MAX_MS = 6_000;
/** Maximum delay of a stalled connection after the network is back. */
const LATER_MAX_MS = 2_000;
/** Time until everything on stalled connections has arrived. */
const SETTLED_MS = 2 * LATER_MAX_MS;

/** Stalls the network between the nodes and PostgreSQL: some commits arrive after the response to their senders. */
export const stallNetwork: Campaign = {
  name: "stall-network",
  fault: "the network to PostgreSQL stalls for 2 to 6 s, and then delivers everything",
  rounds: { short: 3, full: 30 },
  defect: {
    mistake: "a commit whose reply was lost is reported as not stored",
    file: "delivery/store/accept.ts",
    replace: "    if (!(error instanceof InDoubtError)) throw error;\n",
    by: "    if (error instanceof Error) throw error;\n",
    breaks: /were reported as not stored, but are/,
  },
  async run(run) {
    const findings = new Findings(run);
    const { proxies, portOf } = tcpProxiesOf(run.scope);
    const site = await startSite(run, {
      database: "postgres",
      nodes: NODES,
      perSecond: 40,
      keepsRate: true,
      flags: SLOW_COMMITS,
      portOf,
    });
    const { load, receiver } = site;
    receiver.delayMs = 50;
    load.start();
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(2_000, 4_000));
      await stallOnce(proxies);
      findings.time("first accepted again", await load.untilAccepted());
      findings.runs = round;
      run.progress(`stalled ${round} times, ${load.accepted.size} accepted`);
    }
    // Other nodes take over the jobs of a node without a heartbeat.
    findings.duplicatesMax = run.rounds * NODES * DUPLICATES_PER_CRASH_MAX;
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
    proxy.goOn(LATER_MAX_MS);
  });
  await Promise.all(stalls);
}

/** Compares the responses with the stored notifications, after everything on the network has arrived. */
async function compareResponses({ load, place }: Site, findings: Findings): Promise<void> {
  await wait(SETTLED_MS);
  const reader = await openDatabaseReader(place);
  const rows = await reader.rows<{ title: string }>("select title from notification");
  await reader.close();
  const stored = new Set(rows.map(({ title }) => title));
  // Repeated requests are stored in the end: `verifyDeliveries` checks that each is stored once.
  const refused = [...load.refused].filter(([title]) => !load.repeated.has(title));
  const refusedAs = (refusal: Refusal) => refused.filter(([, counts]) => counts[refusal] > 0);
  const wrong = refusedAs("not stored").filter(([title]) => stored.has(title));
  const maybe = refusedAs("maybe stored");
  const storedCount = maybe.filter(([title]) => stored.has(title)).length;
  const responseCount = load.acceptedMs.length + load.failedMs.length;
  findings.note(
    `of ${responseCount} responses, ${refusedAs("not stored").length} to single requests said that nothing is stored, ${wrong.length} of them wrongly`,
  );
  findings.note(`${maybe.length} said that it may be stored; ${storedCount} were`);
  findings.expect(wrong.length === 0, `${wrong.length} were reported as not stored, but are`);
  const unanswered = refusedAs("no response").length;
  findings.expect(unanswered === 0, `${unanswered} requests got no response`);
}

function checkLatencies({ load }: Site, findings: Findings, isShort: boolean): void {
  findings.checkTimes("first accepted again", RECOVERY_MAX_MS);
  const slowestMs = load.slowestMs;
  findings.note(`the slowest response: ${Math.round(slowestMs)} ms`);
  const slowestMax = RESPONSE_MAX_MS * (isShort ? SHORT_LENIENCY : 1);
  findings.expectTime(
    slowestMs <= slowestMax,
    `the slowest response took ${Math.round(slowestMs)} ms`,
  );
}
