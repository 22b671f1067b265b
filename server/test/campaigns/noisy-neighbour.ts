import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { addBulkDevices } from "./bulk.ts";
import { Findings, computeQuantile } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const WARM_UP_SEND_COUNT = 50;
const SEND_COUNT = 300;
const SHORT_SEND_COUNT = 100;
/** After this many messages, the bulk notification is in full progress. */
const BULK_START_COUNT = 1_000;
const SENDS_PER_SECOND = 20;
const SLOWDOWN_MAX = 2;
/** Limit of the short form, which runs next to other tests. */
const SHORT_SLOWDOWN_MAX = 6;
/**
 * In the short form, a shorter latency is not reported, because a busy machine alone causes it. The defect causes more
 * than a second.
 */
const SHORT_NEGLIGIBLE_MS = 400;
/** Percentile of the short form: with few sends, p99 is a single outlier. */
const SHORT_FRACTION = 0.9;

/** Sends a bulk notification; other sends must not become slower. */
export const noisyNeighbour: Campaign = {
  name: "noisy-neighbour",
  fault: "a bulk notification in progress while others send to two devices and wait for the result",
  rounds: { short: 1, full: 1 },
  size: { short: 30_000, full: 1_000_000 },
  defects: [
    {
      mistake: "bulk shares a lane with the other notifications",
      file: "notifications/send.ts",
      replace: 'work?.kind === "expand" ? BULK_LANE : input.isAwaited',
      by: 'work?.kind === "expand" ? 1 : input.isAwaited',
      breaks: /slower than without bulk/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const environment = { TOCSIN_SYNC_WAIT_MS: "10000" };
    const options = { database: "sqlite", nodes: 1, perSecond: 0, environment } as const;
    const site = await startSite(run, options);
    await sendAndWait(site, WARM_UP_SEND_COUNT);
    const sendCount = run.isShort ? SHORT_SEND_COUNT : SEND_COUNT;
    const withoutBulk = await sendAndWait(site, sendCount);
    const { ben: bulkSender } = site.people;
    await addBulkDevices(site, { accountId: bulkSender.accountId, devices: run.size });
    const { notificationId } = await bulkSender.client.notifyAsync({ title: "To bulk", body: "" });
    site.load.acceptedTitles.set(notificationId ?? "", "To bulk");
    const countAtStart = site.pushService.requestCount;
    while (site.pushService.requestCount < countAtStart + BULK_START_COUNT) await wait(10);
    const requestsBefore = site.pushService.requestCount;
    const startedAt = performance.now();
    const withBulk = await sendAndWait(site, sendCount);
    const perSecond =
      ((site.pushService.requestCount - requestsBefore) * 1_000) / (performance.now() - startedAt);
    const hasEnded = site.pushService.requestCount >= run.size;
    findings.expect(!hasEnded, "the bulk notification ended before the other sends: raise --size");
    findings.runCount = 1;
    const fraction = run.isShort ? SHORT_FRACTION : 0.99;
    const [baselineMs = 0, loadedMs = 0] = [withoutBulk, withBulk].map((latenciesMs) =>
      computeQuantile(latenciesMs, fraction),
    );
    findings.addNote(
      `p${fraction * 100} without bulk ${Math.round(baselineMs)} ms, with bulk ${Math.round(loadedMs)} ms`,
    );
    const limitMs = run.isShort
      ? Math.max(SHORT_NEGLIGIBLE_MS, baselineMs * SHORT_SLOWDOWN_MAX)
      : baselineMs * SLOWDOWN_MAX;
    findings.expectTiming(
      loadedMs <= limitMs,
      `${(loadedMs / baselineMs).toFixed(1)} times slower than without bulk`,
    );
    findings.addNote(`${Math.round(perSecond)} a second of bulk meanwhile`);
    if (run.size < 100_000) await verifyDeliveries(site, findings);
    return findings;
  },
};

/** Sends at a steady rate and waits for each result; returns the latencies in milliseconds. */
async function sendAndWait(site: Site, count: number): Promise<readonly number[]> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const sending: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    await wait(Math.max(0, startedAt + (index * 1_000) / SENDS_PER_SECOND - performance.now()));
    sending.push(sendOne(site, { index, latenciesMs }));
  }
  await Promise.all(sending);
  return latenciesMs;
}

async function sendOne(
  { people: { ann, groupIds }, load }: Site,
  { index, latenciesMs }: { readonly index: number; readonly latenciesMs: number[] },
): Promise<void> {
  // Only groups of two devices: the last two groups are larger.
  const groupId = groupIds[index % (groupIds.length - 2)] ?? "";
  const sentAt = performance.now();
  const response = await ann.client.notifyGroup(groupId, { title: `At ${sentAt}`, body: "" });
  latenciesMs.push(performance.now() - sentAt);
  load.acceptedTitles.set(response.notificationId ?? "", `${sentAt}`);
}
