import { eventually } from "../support/eventually.ts";
import { account } from "./accounting.ts";
import { openBooks, type Books } from "./books.ts";
import type { Campaign } from "./campaign.ts";
import { addBulkDevices } from "./bulk.ts";
import { WEB_PUSH_PLACES } from "./faults.ts";
import { Findings } from "./findings.ts";
import { DEVICES_OF_BEN } from "./people.ts";
import { startSite, type Site } from "./site.ts";

const ACCEPTED_MAX_MS = 50;
const EXPANDED_MAX_MS = 15_000;
const MEMORY_MAX_MB = 350;
const DONE_MAX_MS = 30 * 60_000;
/** Chunks that a node has under way at most, and results of each that it has not recorded at most. */
const CHUNKS_AT_ONCE = 64;
const UNRECORDED_OF_CHUNK = 100;
const KILLS = 2;
/** Devices of the group that is sent to first. */
const WARMING = 2;

/** A bulk notification; the server is killed while it cuts the audience into chunks, and in the middle of sending. */
export const fanOut: Campaign = {
  name: "fan-out",
  fault: "one bulk notification, with kill -9 while cutting and while sending",
  rounds: { short: 1, full: 1 },
  size: { short: 5_000, full: 1_000_000 },
  defect: {
    mistake: "the cursor stays where it is when chunks are committed",
    file: "delivery/store/settle.ts",
    replace: "        range_after: next.cursor,",
    by: "        range_after: next.from,",
    breaks: /devices have no recorded outcome|two recorded outcomes/,
  },
  async run(order) {
    const findings = new Findings(order);
    const site = await startSite(order, { database: "sqlite", nodes: 1, perSecond: 0 });
    const [node] = site.nodes;
    const { accountId } = site.people.ben;
    const devices = order.size + DEVICES_OF_BEN;
    await addBulkDevices(site, { accountId, devices: order.size });
    order.say(`${devices} devices`);
    const books = await openBooks(site.place);
    order.scope.after(() => books.close());
    const memory = watchMemory(site);
    const since = performance.now();
    await send(site, findings);
    await until(async () => (await chunksIn(books)) > 0);
    await node.kill();
    await node.start();
    const again = performance.now();
    await until(async () => (await expansionsIn(books)) === 0);
    findings.time("cut into chunks", performance.now() - again);
    await until(async () => site.receiver.requests > devices / 3);
    await node.kill();
    await node.start();
    await until(async () => {
      order.say(`${site.receiver.requests} sent`);
      return (await jobsIn(books)) === 0;
    });
    const seconds = (performance.now() - since) / 1_000;
    findings.note(`${Math.round(devices / seconds)} a second, kills and starts included`);
    findings.runs = 1;
    findings.duplicatesMax = KILLS * (WEB_PUSH_PLACES + CHUNKS_AT_ONCE * UNRECORDED_OF_CHUNK);
    await account(site, findings);
    const all = devices + WARMING;
    findings.expect(findings.deliveries === all, `${findings.deliveries} deliveries of ${all}`);
    findings.judgeTimes("accepted", ACCEPTED_MAX_MS);
    findings.judgeTimes("cut into chunks", EXPANDED_MAX_MS);
    const mostMb = memory.stop();
    findings.note(`at most ${mostMb} MB of memory`);
    findings.expect(mostMb <= MEMORY_MAX_MB, `${mostMb} MB of memory`);
    return findings;
  },
};

async function send({ people: { ann, ben, groups }, load }: Site, findings: Findings) {
  // The first request of a process compiles what all others use.
  await ann.client.notifyGroup(groups[0] ?? "", { title: "To warm up", body: "" });
  const since = performance.now();
  const answer = await ben.client.notifyAsync({ title: "To bulk", body: "of a campaign" });
  findings.time("accepted", performance.now() - since);
  load.accepted.set(answer.notificationId ?? "", "To bulk");
}

/** Asks the server for its memory every second, as long as it answers. */
function watchMemory({ nodes: [node] }: Site): { stop: () => number } {
  let most = 0;
  const timer = setInterval(() => {
    void node.residentMb().then((megabytes) => (most = Math.max(most, megabytes)));
  }, 1_000);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

/** Rejects where it takes longer than the whole campaign may. */
async function until(isReached: () => Promise<boolean>): Promise<void> {
  await eventually(isReached, (reached) => reached, { limitMs: DONE_MAX_MS });
}

function jobsIn(books: Books): Promise<number> {
  return count(books, "send_job");
}

function chunksIn(books: Books): Promise<number> {
  return count(books, "send_job where kind = 'deliver' and pending is null");
}

function expansionsIn(books: Books): Promise<number> {
  return count(books, "send_job where kind = 'expand'");
}

async function count(books: Books, from: string): Promise<number> {
  const [row] = await books.rows<{ count: number }>(`select count(*) as count from ${from}`);
  return Number(row?.count);
}
