import { setTimeout as wait } from "node:timers/promises";
import { account } from "./accounting.ts";
import { openBooks, type Books } from "./books.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_OF_DEATH, somewhereBetween } from "./faults.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const TAKEN_OVER_MAX_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** A node that is never taken over from is a finding, not a wait without end. */
const LOOK_MAX_MS = 45_000;

/** One of three nodes is killed; the others take over what it held. */
export const killNode: Campaign = {
  name: "kill-node",
  fault: "kill -9 of one of three nodes on PostgreSQL",
  rounds: { short: 1, full: 100 },
  defect: {
    mistake: "what a dead node held waits until its lease ends",
    file: "delivery/worker/worker.ts",
    replace: "    const jobs = await store.reclaim(nodeIds);",
    by: "    const jobs = nodeIds.length - nodeIds.length;",
    breaks: /taken over: p99/,
  },
  async run(order) {
    const findings = new Findings(order);
    const site = await startSite(order, { database: "postgres", nodes: 3, perSecond: 120 });
    const { load, nodes, receiver, place } = site;
    const books = await openBooks(place);
    order.scope.after(() => books.close());
    // Somebody is always being sent to when a node dies.
    receiver.delayMs = 100;
    load.start();
    for (let round = 1; round <= order.rounds; round += 1) {
      await wait(somewhereBetween(500, 1_500));
      const victim = nodes[round % nodes.length] ?? nodes[0];
      const before = await nodesIn(books);
      await victim.kill();
      const since = performance.now();
      await victim.start();
      const isOver = await takenOver(books, before);
      const overAt = isOver ? performance.now() : Number.POSITIVE_INFINITY;
      findings.time("taken over", overAt - since);
      findings.runs = round;
      order.say(`killed ${round} times, ${load.accepted.size} accepted`);
    }
    findings.duplicatesMax = order.rounds * DUPLICATES_OF_DEATH;
    await account(site, findings);
    findings.judgeTimes("taken over", TAKEN_OVER_MAX_MS);
    return findings;
  },
};

/** Resolves with true once one of the nodes is forgotten and holds nothing any more, with false where it is not. */
async function takenOver(books: Books, before: ReadonlySet<string>): Promise<boolean> {
  const until = performance.now() + LOOK_MAX_MS;
  while (performance.now() < until) {
    const living = await nodesIn(books);
    const gone = [...before].filter((id) => !living.has(id));
    const holders = await books.rows<{ owner: string }>("select distinct owner from send_job");
    if (gone.length > 0 && holders.every(({ owner }) => !gone.includes(owner))) return true;
    await wait(LOOK_EVERY_MS);
  }
  return false;
}

async function nodesIn(books: Books): Promise<ReadonlySet<string>> {
  const rows = await books.rows<{ id: string }>("select id from node");
  return new Set(rows.map(({ id }) => id));
}
