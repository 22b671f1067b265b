import { setTimeout as wait } from "node:timers/promises";
import { releasedBy } from "#delivery/services/slow-start.ts";
import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { openBooks } from "./books.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const PER_SECOND = 200;
const BEFORE_MS = 10_000;
const SHORT_BEFORE_MS = 3_000;
const SLOWER_MAX = 1.2;
const UNNOTICED_MS = 5;
const MEMORY_MAX_MB = 400;
const SLOW_START_MS = 10_000;
const RAMP_PART = 0.15;
const DRAINED_MAX_MS = 20 * 60_000;

/** The push service fails for everybody until so many jobs wait, and is back then. */
export const outage: Campaign = {
  name: "outage",
  fault: "a push service that fails for everybody while 100,000 jobs gather",
  rounds: { short: 1, full: 1 },
  size: { short: 600, full: 100_000 },
  defect: {
    mistake: "all jobs that wait for a service are released at once when it recovers",
    file: "delivery/services/slow-start.ts",
    replace: "const AT_ONCE = 50;",
    by: "const AT_ONCE = 1e9;",
    breaks: /in the first 10 s/,
  },
  async run(order) {
    const findings = new Findings(order);
    const site = await startSite(order, { database: "sqlite", nodes: 1, perSecond: PER_SECOND });
    const { load, receiver, nodes } = site;
    load.start();
    await wait(order.isShort ? SHORT_BEFORE_MS : BEFORE_MS);
    const before = load.acceptedMs.splice(0);
    receiver.isDown = true;
    while (load.accepted.size < before.length + order.size) {
      await wait(1_000);
      order.say(`${load.accepted.size - before.length} gathered`);
    }
    const during = load.acceptedMs.splice(0);
    await load.pause();
    // Of a few moments nothing can be told.
    const timesMax = order.isShort ? Number.POSITIVE_INFINITY : SLOWER_MAX;
    findings.judgeSlowdown("accepting", {
      before,
      after: during,
      timesMax,
      unnoticedMs: UNNOTICED_MS,
    });
    const memory = await nodes[0].residentMb();
    findings.note(`${memory} MB of memory`);
    findings.expect(memory <= MEMORY_MAX_MB, `${memory} MB of memory`);
    receiver.isDown = false;
    await drain(site, { findings, say: order.say });
    findings.runs = 1;
    findings.duplicatesMax = 0;
    await account(site, findings);
    return findings;
  },
};

/** Waits until all is sent, and looks how gently it began: a service that is back must not be flooded. */
async function drain(
  { receiver, place }: Site,
  { findings, say }: { readonly findings: Findings; readonly say: (line: string) => void },
): Promise<void> {
  const books = await openBooks(place);
  const perWindow: number[] = [];
  const since = performance.now();
  let before = receiver.taken;
  while (receiver.taken === before) await wait(10);
  findings.time("until the first is sent again", performance.now() - since);
  for (;;) {
    await wait(SLOW_START_MS);
    perWindow.push(receiver.taken - before);
    before = receiver.taken;
    const [row] = await books.rows<{ count: number }>("select count(*) as count from send_job");
    say(`${row?.count} jobs wait`);
    if (Number(row?.count) === 0 || performance.now() - since > DRAINED_MAX_MS) break;
  }
  await books.close();
  const [first = 0] = perWindow;
  const most = Math.max(...perWindow);
  findings.note(
    `drained in ${Math.round((performance.now() - since) / 1_000)} s, ${first} in the first 10 s, at most ${most}`,
  );
  // Of few, most go with the first.
  const max = Math.max(most * RAMP_PART, releasedBy(SLOW_START_MS, 0) * SLOWER_MAX);
  findings.expectTime(first <= max, `${first} of ${most} in the first 10 s`);
}
