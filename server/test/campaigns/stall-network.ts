import { setTimeout as wait } from "node:timers/promises";
import { tcpProxiesOf, type TcpProxy } from "../support/tcp-proxy.ts";
import { account } from "./accounting.ts";
import { openBooks } from "./books.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_OF_DEATH, somewhereBetween } from "./faults.ts";
import { Findings } from "./findings.ts";
import type { Refusal } from "./load.ts";
import { startSite, type Site } from "./site.ts";

const NODES = 2;
const AGAIN_MAX_MS = 4_000;
/**
 * Of a network that comes back in between, a request may wait out each limit in turn: 1.5 s for what is read, 1 s in line, 1.75 s for
 * a connection and 2 s for the commit.
 */
const ANSWER_MAX_MS = 6_250;
const SHORT_PATIENCE = 4;
/** Each takes so many microseconds, so that nearly always one is under way when the network stands still. */
const SLOW_COMMITS = ["-ccommit_delay=50000", "-ccommit_siblings=0"];
/** Around what an answer of the database is waited for, and below what calls a node dead. */
const STALL_MIN_MS = 2_000;
const STALL_MAX_MS = 6_000;
/** A connection that stood still comes back so much later than the network, … */
const LATER_MAX_MS = 2_000;
/** … and what was on it has arrived by then. */
const SETTLED_MS = 2 * LATER_MAX_MS;

/** The network between the nodes and PostgreSQL stands still, and goes on: commits arrive after their senders were answered. */
export const stallNetwork: Campaign = {
  name: "stall-network",
  fault: "the network to PostgreSQL stands still for 2 to 6 s, and then delivers everything",
  rounds: { short: 3, full: 30 },
  defect: {
    mistake: "a commit whose answer was lost is called not stored",
    file: "delivery/store/accept.ts",
    replace: "    if (!(error instanceof InDoubtError)) throw error;\n",
    by: "    if (error instanceof Error) throw error;\n",
    breaks: /were told that nothing is stored, and it is/,
  },
  async run(order) {
    const findings = new Findings(order);
    const { proxies, portOf } = tcpProxiesOf(order.scope);
    const site = await startSite(order, {
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
    for (let round = 1; round <= order.rounds; round += 1) {
      await wait(somewhereBetween(2_000, 4_000));
      await stallOnce(proxies);
      findings.time("first accepted again", await load.untilAccepted());
      findings.runs = round;
      order.say(`stood still ${round} times, ${load.accepted.size} accepted`);
    }
    // Where a node is not heard of for long, others take its work.
    findings.duplicatesMax = order.rounds * NODES * DUPLICATES_OF_DEATH;
    await account(site, findings);
    await compareAnswers(site, findings);
    judgeTimes(site, findings, order.isShort);
    return findings;
  },
};

/** The network of each node goes on at its own time; connections of before come back later than new ones. */
async function stallOnce(proxies: readonly TcpProxy[]): Promise<void> {
  const stalls = proxies.map(async (proxy) => {
    proxy.stall();
    await wait(somewhereBetween(STALL_MIN_MS, STALL_MAX_MS));
    proxy.goOn(LATER_MAX_MS);
  });
  await Promise.all(stalls);
}

/** Compares what every sender was told with what is stored, also after everything that was on its way has arrived. */
async function compareAnswers({ load, place }: Site, findings: Findings): Promise<void> {
  await wait(SETTLED_MS);
  const books = await openBooks(place);
  const rows = await books.rows<{ title: string }>("select title from notification");
  await books.close();
  const stored = new Set(rows.map(({ title }) => title));
  // Repeated requests are stored in the end: `account` checks that each is stored once.
  const told = [...load.refused].filter(([title]) => !load.repeated.has(title));
  const tellsOf = (refusal: Refusal) => told.filter(([, counts]) => counts[refusal] > 0);
  const untrue = tellsOf("not stored").filter(([title]) => stored.has(title));
  const maybe = tellsOf("maybe stored");
  const found = maybe.filter(([title]) => stored.has(title)).length;
  const asked = load.acceptedMs.length + load.failedMs.length;
  findings.note(
    `of ${asked} answers, ${tellsOf("not stored").length} of what came once said that nothing is stored, ${untrue.length} of them untrue`,
  );
  findings.note(`${maybe.length} said that it may be stored; ${found} were`);
  findings.expect(
    untrue.length === 0,
    `${untrue.length} were told that nothing is stored, and it is`,
  );
  const silent = tellsOf("silence").length;
  findings.expect(silent === 0, `${silent} were not answered`);
}

function judgeTimes({ load }: Site, findings: Findings, isShort: boolean): void {
  findings.judgeTimes("first accepted again", AGAIN_MAX_MS);
  const slowest = load.slowestMs;
  findings.note(`the slowest answer: ${Math.round(slowest)} ms`);
  const slowestMax = ANSWER_MAX_MS * (isShort ? SHORT_PATIENCE : 1);
  findings.expectTime(slowest <= slowestMax, `the slowest answer took ${Math.round(slowest)} ms`);
}
