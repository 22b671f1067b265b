import { setTimeout as wait } from "node:timers/promises";
import { tcpProxiesOf } from "../support/tcp-proxy.ts";
import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_OF_DEATH, somewhereBetween } from "./faults.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const ANSWER_MAX_MS = 4_000;
/** Above it lies what the defect comes to. */
const SHORT_PATIENCE = 4;
const FIRST_ACCEPTED_MAX_MS = 3_000;
const NODES = 2;

/** The network between the nodes and PostgreSQL swallows everything: for one of them, or for all. */
export const swallowPackets: Campaign = {
  name: "swallow-packets",
  fault: "the network to PostgreSQL swallows all packets, for one node or all",
  rounds: { short: 2, full: 20 },
  defect: {
    mistake: "an answer of the database is awaited without an end",
    file: "database/postgres.ts",
    replace: "query_timeout: patienceMs ?? ANSWER_TIMEOUT_MS,",
    by: "query_timeout: patienceMs ?? 0,",
    breaks: /the slowest answer/,
  },
  async run(order) {
    const findings = new Findings(order);
    const { proxies, portOf } = tcpProxiesOf(order.scope);
    const options = { database: "postgres", nodes: NODES, perSecond: 120, portOf } as const;
    const site = await startSite(order, options);
    const { load, receiver } = site;
    receiver.delayMs = 50;
    load.start();
    for (let round = 1; round <= order.rounds; round += 1) {
      await wait(somewhereBetween(500, 2_000));
      const isForAll = round % 2 === 0;
      const cut = isForAll ? proxies : proxies.slice(0, 1);
      for (const proxy of cut) proxy.swallow();
      // Long enough that the others take over.
      await wait(somewhereBetween(5_000, 12_000));
      for (const proxy of cut) proxy.heal();
      if (isForAll) findings.time("first accepted once healed", await load.untilAccepted());
      findings.runs = round;
      order.say(`cut off ${round} times, ${load.accepted.size} accepted`);
    }
    findings.duplicatesMax = order.rounds * NODES * DUPLICATES_OF_DEATH;
    await account(site, findings);
    if (order.rounds > 1) findings.judgeTimes("first accepted once healed", FIRST_ACCEPTED_MAX_MS);
    const slowest = load.slowestMs;
    findings.note(`the slowest answer: ${Math.round(slowest)} ms`);
    const slowestMax = ANSWER_MAX_MS * (order.isShort ? SHORT_PATIENCE : 1);
    findings.expectTime(slowest <= slowestMax, `the slowest answer took ${Math.round(slowest)} ms`);
    return findings;
  },
};
