import { eventually } from "../support/eventually.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import { openDatabaseReader, type DatabaseReader } from "./database-reader.ts";
import type { Campaign } from "./campaign.ts";
import { addBulkDevices } from "./bulk.ts";
import { WEB_PUSH_CONCURRENCY_MAX } from "./duplicate-limits.ts";
import { Findings } from "./findings.ts";
import { BEN_DEVICE_COUNT } from "./people.ts";
import { startSite, type Site } from "./site.ts";

const ACCEPTED_MAX_MS = 50;
const CUT_MAX_MS = 15_000;
const MEMORY_MAX_MB = 350;
const DONE_MAX_MS = 30 * 60_000;
/** Maximum number of chunks in progress on a node, and of unrecorded results in each. */
const CHUNKS_MAX = 64;
const UNRECORDED_PER_CHUNK_MAX = 100;
const KILL_COUNT = 2;
/** Devices of the group that gets the first notification. */
const WARM_UP_DEVICES = 2;

/** Sends a bulk notification and kills the server while it cuts the audience into chunks, and while it sends. */
export const fanOut: Campaign = {
  name: "fan-out",
  fault: "one bulk notification, with kill -9 while cutting and while sending",
  rounds: { short: 1, full: 1 },
  size: { short: 5_000, full: 1_000_000 },
  defects: [
    {
      mistake: "the cursor does not advance when chunks are committed",
      file: "delivery/store/settle-statements.ts",
      replace: "        range_after: next.cursor,",
      by: "        range_after: next.from,",
      breaks: /devices have no recorded outcome|two recorded outcomes/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const site = await startSite(run, { database: "sqlite", nodes: 1, perSecond: 0 });
    const [node] = site.nodes;
    const { accountId } = site.people.ben;
    const devices = run.size + BEN_DEVICE_COUNT;
    await addBulkDevices(site, { accountId, devices: run.size });
    run.reportProgress(`${devices} devices`);
    const reader = await openDatabaseReader(site.location);
    run.scope.after(() => reader.close());
    const memory = watchMemory(site);
    const startedAt = performance.now();
    await sendBulkNotification(site, findings);
    await waitUntil(async () => (await countChunks(reader)) > 0);
    await node.kill();
    await node.start();
    const restartedAt = performance.now();
    await waitUntil(async () => (await countExpansions(reader)) === 0);
    findings.recordDuration("cut into chunks", performance.now() - restartedAt);
    await waitUntil(async () => site.pushService.requestCount > devices / 3);
    await node.kill();
    await node.start();
    await waitUntil(async () => {
      run.reportProgress(`${site.pushService.requestCount} sent`);
      return (await countJobs(reader)) === 0;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    findings.addNote(`${Math.round(devices / seconds)} a second, kills and starts included`);
    findings.runCount = 1;
    findings.duplicatesMax =
      KILL_COUNT * (WEB_PUSH_CONCURRENCY_MAX + CHUNKS_MAX * UNRECORDED_PER_CHUNK_MAX);
    await verifyDeliveries(site, findings);
    const expectedDeliveries = devices + WARM_UP_DEVICES;
    findings.expect(
      findings.deliveryCount === expectedDeliveries,
      `${findings.deliveryCount} deliveries of ${expectedDeliveries}`,
    );
    findings.checkDurations("accepted", ACCEPTED_MAX_MS);
    findings.checkDurations("cut into chunks", CUT_MAX_MS);
    const peakMb = memory.stop();
    findings.addNote(`at most ${peakMb} MB of memory`);
    findings.expect(peakMb <= MEMORY_MAX_MB, `${peakMb} MB of memory`);
    return findings;
  },
};

async function sendBulkNotification(
  { people: { ann, ben, groupIds }, load }: Site,
  findings: Findings,
) {
  // Warms up: the first request of a process compiles the code that all others use.
  await ann.client.notifyGroup(groupIds[0] ?? "", { title: "Warm-up", body: "" });
  const startedAt = performance.now();
  const response = await ben.client.notifyAsync({ title: "To bulk", body: "of a campaign" });
  findings.recordDuration("accepted", performance.now() - startedAt);
  load.acceptedTitles.set(response.notificationId ?? "", "To bulk");
}

/** Polls the server's memory every second; `stop` returns the peak. */
function watchMemory({ nodes: [node] }: Site): { stop: () => number } {
  let peakMb = 0;
  const timer = setInterval(() => {
    void node.readResidentMb().then((megabytes) => (peakMb = Math.max(peakMb, megabytes)));
  }, 1_000);
  return {
    stop: () => {
      clearInterval(timer);
      return peakMb;
    },
  };
}

/** Resolves once the condition is met; rejects after the campaign's time limit. */
async function waitUntil(isReached: () => Promise<boolean>): Promise<void> {
  await eventually(isReached, (reached) => reached, { limitMs: DONE_MAX_MS });
}

function countJobs(reader: DatabaseReader): Promise<number> {
  return countRows(reader, "send_job");
}

function countChunks(reader: DatabaseReader): Promise<number> {
  return countRows(reader, "send_job where kind = 'deliver' and pending is null");
}

function countExpansions(reader: DatabaseReader): Promise<number> {
  return countRows(reader, "send_job where kind = 'expand'");
}

async function countRows(reader: DatabaseReader, from: string): Promise<number> {
  const [row] = await reader.query<{ count: number }>(`select count(*) as count from ${from}`);
  return Number(row?.count);
}
