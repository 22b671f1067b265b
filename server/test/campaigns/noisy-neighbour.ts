import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { addCrowd } from "./crowd.ts";
import { wait } from "./faults.ts";
import { Findings, quantile } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const SENDS = 300;
const SENDS_PER_SECOND = 20;
const SLOWER_MAX = 2;

/** Somebody sends to a crowd; all others must not notice. */
export const noisyNeighbour: Campaign = {
  name: "noisy-neighbour",
  fault:
    "a notification to a crowd under way while others send to two devices and wait for the result",
  rounds: { short: 1, full: 1 },
  size: { short: 50_000, full: 1_000_000 },
  defect: {
    what: "a crowd may take every place of a provider",
    file: "delivery/delivery-room.ts",
    replace: "const BULK_PART = 0.6;",
    by: "const BULK_PART = 1;",
    breaks: /slower than alone/,
  },
  async run(order) {
    const findings = new Findings();
    const site = await startSite(order, { database: "sqlite", nodes: 1, perSecond: 0 });
    await sendAndWait(site, 50);
    const alone = await sendAndWait(site, SENDS);
    const noisy = site.people.at(-1);
    if (noisy === undefined) throw new Error("There is nobody.");
    await addCrowd(site, { accountId: noisy.accountId, devices: order.size });
    const { notificationId } = await noisy.client.notifyAsync({ title: "To the crowd", body: "" });
    site.load.accepted.set(notificationId ?? "", "To the crowd");
    const before = site.receiver.requests;
    while (site.receiver.requests < before + 1_000) await wait(10);
    const beside = await sendAndWait(site, SENDS);
    const isOver = site.receiver.requests >= order.size;
    findings.expect(!isOver, "the crowd was done before the others: make it larger");
    findings.runs = 1;
    const [quiet, loud] = [alone, beside].map((waits) => quantile(waits, 0.99) ?? 0);
    const times = (loud ?? 0) / (quiet ?? 1);
    findings.note(`p99 alone ${Math.round(quiet ?? 0)} ms, beside ${Math.round(loud ?? 0)} ms`);
    findings.expect(times <= SLOWER_MAX, `${times.toFixed(1)} times slower than alone`);
    if (order.size < 100_000) await account(site, findings);
    return findings;
  },
};

/** Returns the milliseconds of each send until its result is known. */
async function sendAndWait({ people, load }: Site, count: number): Promise<readonly number[]> {
  const waits: number[] = [];
  const startedAt = performance.now();
  const sending: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    await wait(Math.max(0, startedAt + (index * 1_000) / SENDS_PER_SECOND - performance.now()));
    const person = people[index % (people.length - 2)];
    if (person !== undefined) sending.push(sendOne(person, { load, waits }));
  }
  await Promise.all(sending);
  return waits;
}

async function sendOne(
  { client }: Site["people"][number],
  { load, waits }: { readonly load: Site["load"]; readonly waits: number[] },
): Promise<void> {
  const since = performance.now();
  const answer = await client.notify({ title: `At ${since}`, body: "" });
  waits.push(performance.now() - since);
  load.accepted.set(answer.notificationId ?? "", `${since}`);
}
