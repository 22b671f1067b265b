import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { addBulkDevices } from "./bulk.ts";
import { Findings, quantile } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const SENDS = 300;
const SHORT_SENDS = 100;
const SENDS_PER_SECOND = 20;
const SLOWDOWN_MAX = 2;
/** Limit of the short form, which runs next to other tests. */
const SHORT_SLOWDOWN_MAX = 6;
/** Above this baseline the machine is too slow for a comparison in the short form. */
const SHORT_BASELINE_MAX_MS = 40;
/** Percentile of the short form: with few sends, p99 is a single outlier. */
const SHORT_FRACTION = 0.9;

/** Sends a bulk notification; other sends must not become slower. */
export const noisyNeighbour: Campaign = {
  name: "noisy-neighbour",
  fault: "a bulk notification in progress while others send to two devices and wait for the result",
  rounds: { short: 1, full: 1 },
  size: { short: 30_000, full: 1_000_000 },
  defect: {
    mistake: "bulk shares a lane with the other notifications",
    file: "notifications/send.ts",
    replace: "targets === null ? 2 : input.isAwaited",
    by: "targets === null ? 1 : input.isAwaited",
    breaks: /slower than without bulk/,
  },
  async run(run) {
    const findings = new Findings(run);
    const environment = { TOCSIN_SYNC_WAIT_MS: "10000" };
    const options = { database: "sqlite", nodes: 1, perSecond: 0, environment } as const;
    const site = await startSite(run, options);
    await sendAndWait(site, 50);
    const sends = run.isShort ? SHORT_SENDS : SENDS;
    const withoutBulk = await sendAndWait(site, sends);
    const { ben: noisy } = site.people;
    await addBulkDevices(site, { accountId: noisy.accountId, devices: run.size });
    const { notificationId } = await noisy.client.notifyAsync({ title: "To bulk", body: "" });
    site.load.accepted.set(notificationId ?? "", "To bulk");
    const before = site.receiver.requests;
    while (site.receiver.requests < before + 1_000) await wait(10);
    const [requestsBefore, startedAt] = [site.receiver.requests, performance.now()];
    const withBulk = await sendAndWait(site, sends);
    const perSecond =
      ((site.receiver.requests - requestsBefore) * 1_000) / (performance.now() - startedAt);
    const hasEnded = site.receiver.requests >= run.size;
    findings.expect(!hasEnded, "the bulk notification ended before the other sends: raise --size");
    findings.runs = 1;
    const fraction = run.isShort ? SHORT_FRACTION : 0.99;
    const [baselineMs, loadedMs] = [withoutBulk, withBulk].map(
      (waits) => quantile(waits, fraction) ?? 0,
    );
    const times = (loadedMs ?? 0) / (baselineMs ?? 1);
    findings.note(
      `p${fraction * 100} without bulk ${Math.round(baselineMs ?? 0)} ms, with bulk ${Math.round(loadedMs ?? 0)} ms`,
    );
    findings.note(`${Math.round(perSecond)} a second of bulk meanwhile`);
    if (run.isShort && (baselineMs ?? 0) > SHORT_BASELINE_MAX_MS) {
      findings.note("not checked: this machine is too slow even without bulk");
    } else {
      findings.expectTime(
        times <= (run.isShort ? SHORT_SLOWDOWN_MAX : SLOWDOWN_MAX),
        `${times.toFixed(1)} times slower than without bulk`,
      );
    }
    if (run.size < 100_000) await verifyDeliveries(site, findings);
    return findings;
  },
};

/** Sends at a steady rate and waits for each result; returns the latencies in milliseconds. */
async function sendAndWait(site: Site, count: number): Promise<readonly number[]> {
  const waits: number[] = [];
  const startedAt = performance.now();
  const sending: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    await wait(Math.max(0, startedAt + (index * 1_000) / SENDS_PER_SECOND - performance.now()));
    sending.push(sendOne(site, { index, waits }));
  }
  await Promise.all(sending);
  return waits;
}

async function sendOne(
  { people: { ann, groups }, load }: Site,
  { index, waits }: { readonly index: number; readonly waits: number[] },
): Promise<void> {
  // Only groups of two devices.
  const groupId = groups[index % (groups.length - 2)] ?? "";
  const sentAt = performance.now();
  const response = await ann.client.notifyGroup(groupId, { title: `At ${sentAt}`, body: "" });
  waits.push(performance.now() - sentAt);
  load.accepted.set(response.notificationId ?? "", `${sentAt}`);
}
