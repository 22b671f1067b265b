import { setTimeout as wait } from "node:timers/promises";
import { releasedBy } from "#delivery/services/slow-start.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { openDatabaseReader } from "./database-reader.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const PER_SECOND = 200;
const BEFORE_MS = 10_000;
const SHORT_BEFORE_MS = 3_000;
const SLOWDOWN_MAX = 1.2;
const NEGLIGIBLE_MS = 5;
const MEMORY_MAX_MB = 400;
const SLOW_START_MS = 10_000;
const SLOW_START_SHARE = 0.15;
const DRAINED_MAX_MS = 20 * 60_000;

/** Takes the push service down until the given number of jobs wait, then brings it back. */
export const outage: Campaign = {
  name: "outage",
  fault: "a push service that fails every request while 100,000 jobs gather",
  rounds: { short: 1, full: 1 },
  size: { short: 600, full: 100_000 },
  defect: {
    mistake: "all jobs that wait for a service are released immediately when it recovers",
    file: "delivery/services/slow-start.ts",
    replace: "const IMMEDIATE_MAX = 50;",
    by: "const IMMEDIATE_MAX = 1e9;",
    breaks: /in the first 10 s/,
  },
  async run(run) {
    const findings = new Findings(run);
    const site = await startSite(run, { database: "sqlite", nodes: 1, perSecond: PER_SECOND });
    const { load, receiver, nodes } = site;
    load.start();
    await wait(run.isShort ? SHORT_BEFORE_MS : BEFORE_MS);
    const before = load.acceptedMs.splice(0);
    receiver.isDown = true;
    while (load.accepted.size < before.length + run.size) {
      await wait(1_000);
      run.progress(`${load.accepted.size - before.length} gathered`);
    }
    const during = load.acceptedMs.splice(0);
    await load.pause();
    // A few seconds are too short for a comparison.
    const timesMax = run.isShort ? Number.POSITIVE_INFINITY : SLOWDOWN_MAX;
    findings.checkSlowdown("accepting", {
      before,
      after: during,
      timesMax,
      negligibleMs: NEGLIGIBLE_MS,
    });
    const memory = await nodes[0].residentMb();
    findings.note(`${memory} MB of memory`);
    findings.expect(memory <= MEMORY_MAX_MB, `${memory} MB of memory`);
    receiver.isDown = false;
    await drain(site, { findings, progress: run.progress });
    findings.runs = 1;
    findings.duplicatesMax = 0;
    await verifyDeliveries(site, findings);
    return findings;
  },
};

/** Waits until no job is left, and checks the slow start: a recovered service must not be flooded. */
async function drain(
  { receiver, place }: Site,
  {
    findings,
    progress,
  }: { readonly findings: Findings; readonly progress: (line: string) => void },
): Promise<void> {
  const reader = await openDatabaseReader(place);
  const perWindow: number[] = [];
  const startedAt = performance.now();
  let before = receiver.accepted;
  while (receiver.accepted === before) await wait(10);
  findings.time("until the first is sent again", performance.now() - startedAt);
  for (;;) {
    await wait(SLOW_START_MS);
    perWindow.push(receiver.accepted - before);
    before = receiver.accepted;
    const [row] = await reader.rows<{ count: number }>("select count(*) as count from send_job");
    progress(`${row?.count} jobs wait`);
    if (Number(row?.count) === 0 || performance.now() - startedAt > DRAINED_MAX_MS) break;
  }
  await reader.close();
  const [first = 0] = perWindow;
  const windowMax = Math.max(...perWindow);
  findings.note(
    `drained in ${Math.round((performance.now() - startedAt) / 1_000)} s, ${first} in the first 10 s, at most ${windowMax}`,
  );
  // With few jobs, most are sent in the first window.
  const max = Math.max(windowMax * SLOW_START_SHARE, releasedBy(SLOW_START_MS, 0) * SLOWDOWN_MAX);
  findings.expectTime(first <= max, `${first} of ${windowMax} in the first 10 s`);
}
