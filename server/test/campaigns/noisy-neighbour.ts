import { setTimeout as wait } from "node:timers/promises";
import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { addBulkDevices } from "./bulk.ts";
import { Findings, quantile } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const SENDS = 300;
const SHORT_SENDS = 100;
const SENDS_PER_SECOND = 20;
const SLOWER_MAX = 2;
/** On a machine that does much else; … */
const SHORT_SLOWER_MAX = 6;
/** … on one that is slow for all, they say nothing of a neighbour; … */
const SHORT_QUIET_MAX_MS = 40;
/** … of few sends, one in a hundred says nothing but that something came between. */
const SHORT_PART = 0.9;

/** A bulk notification is under way, and all other senders must not notice. */
export const noisyNeighbour: Campaign = {
  name: "noisy-neighbour",
  fault: "a bulk notification under way while others send to two devices and wait for the result",
  rounds: { short: 1, full: 1 },
  size: { short: 30_000, full: 1_000_000 },
  defect: {
    mistake: "bulk shares a lane with the other notifications",
    file: "notifications/send.ts",
    replace: "targets === null ? 2 : input.isAwaited",
    by: "targets === null ? 1 : input.isAwaited",
    breaks: /slower than alone/,
  },
  async run(order) {
    const findings = new Findings(order);
    const environment = { TOCSIN_SYNC_WAIT_MS: "10000" };
    const options = { database: "sqlite", nodes: 1, perSecond: 0, environment } as const;
    const site = await startSite(order, options);
    await sendAndWait(site, 50);
    const sends = order.isShort ? SHORT_SENDS : SENDS;
    const alone = await sendAndWait(site, sends);
    const { ben: noisy } = site.people;
    await addBulkDevices(site, { accountId: noisy.accountId, devices: order.size });
    const { notificationId } = await noisy.client.notifyAsync({ title: "To bulk", body: "" });
    site.load.accepted.set(notificationId ?? "", "To bulk");
    const before = site.receiver.requests;
    while (site.receiver.requests < before + 1_000) await wait(10);
    const [begun, since] = [site.receiver.requests, performance.now()];
    const beside = await sendAndWait(site, sends);
    const perSecond = ((site.receiver.requests - begun) * 1_000) / (performance.now() - since);
    const isOver = site.receiver.requests >= order.size;
    findings.expect(!isOver, "the bulk notification ended before the others: give it more devices");
    findings.runs = 1;
    const part = order.isShort ? SHORT_PART : 0.99;
    const [quiet, loud] = [alone, beside].map((waits) => quantile(waits, part) ?? 0);
    const times = (loud ?? 0) / (quiet ?? 1);
    findings.note(
      `p${part * 100} alone ${Math.round(quiet ?? 0)} ms, beside ${Math.round(loud ?? 0)} ms`,
    );
    findings.note(`${Math.round(perSecond)} a second of bulk meanwhile`);
    if (order.isShort && (quiet ?? 0) > SHORT_QUIET_MAX_MS) {
      findings.note("not judged: this machine is too slow, even alone");
    } else {
      findings.expectTime(
        times <= (order.isShort ? SHORT_SLOWER_MAX : SLOWER_MAX),
        `${times.toFixed(1)} times slower than alone`,
      );
    }
    if (order.size < 100_000) await account(site, findings);
    return findings;
  },
};

/** Returns the milliseconds of each send until its result is known. */
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
  // Notifications to two devices.
  const groupId = groups[index % (groups.length - 2)] ?? "";
  const since = performance.now();
  const answer = await ann.client.notifyGroup(groupId, { title: `At ${since}`, body: "" });
  waits.push(performance.now() - since);
  load.accepted.set(answer.notificationId ?? "", `${since}`);
}
