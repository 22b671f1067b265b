import { setTimeout as wait } from "node:timers/promises";
import { computeReleaseLimit } from "#delivery/services/slow-start.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { openDatabaseReader } from "./database-reader.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const NOTIFICATIONS_PER_SECOND = 200;
const BASELINE_MS = 10_000;
const SHORT_BASELINE_MS = 3_000;
const SLOWDOWN_MAX = 1.2;
const NEGLIGIBLE_LATENCY_MS = 5;
const MEMORY_MAX_MB = 400;
const WINDOW_MS = 10_000;
/** Maximum size of the first window, as a share of the largest one: a recovered service must not be flooded. */
const FIRST_WINDOW_SHARE_MAX = 0.15;
const DRAIN_TIMEOUT_MS = 20 * 60_000;

/** Takes the push service down until the given number of jobs wait, then brings it back. */
export const outage: Campaign = {
  name: "outage",
  fault: "a push service that fails every request while 100,000 jobs gather",
  rounds: { short: 1, full: 1 },
  size: { short: 600, full: 100_000 },
  defects: [
    {
      mistake: "all jobs that wait for a service are released immediately when it recovers",
      file: "delivery/services/slow-start.ts",
      replace: "const IMMEDIATE_MAX = 50;",
      by: "const IMMEDIATE_MAX = 1e9;",
      breaks: /in the first 10 s/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const site = await startSite(run, {
      database: "sqlite",
      nodes: 1,
      perSecond: NOTIFICATIONS_PER_SECOND,
    });
    const { load, pushService, nodes } = site;
    load.start();
    await wait(run.isShort ? SHORT_BASELINE_MS : BASELINE_MS);
    const baselineLatenciesMs = load.acceptedLatenciesMs.splice(0);
    pushService.isDown = true;
    while (load.acceptedTitles.size < baselineLatenciesMs.length + run.size) {
      await wait(1_000);
      run.reportProgress(`${load.acceptedTitles.size - baselineLatenciesMs.length} jobs wait`);
    }
    const outageLatenciesMs = load.acceptedLatenciesMs.splice(0);
    await load.pause();
    // A few seconds are too short for a comparison.
    const slowdownMax = run.isShort ? Number.POSITIVE_INFINITY : SLOWDOWN_MAX;
    findings.checkSlowdown("accepting", {
      before: baselineLatenciesMs,
      underFault: outageLatenciesMs,
      timesMax: slowdownMax,
      negligibleMs: NEGLIGIBLE_LATENCY_MS,
    });
    const memoryMb = await nodes[0].readResidentMb();
    findings.addNote(`${memoryMb} MB of memory`);
    findings.expect(memoryMb <= MEMORY_MAX_MB, `${memoryMb} MB of memory`);
    pushService.isDown = false;
    await waitUntilDrained(site, { findings, reportProgress: run.reportProgress });
    findings.runCount = 1;
    findings.duplicatesMax = 0;
    await verifyDeliveries(site, findings);
    return findings;
  },
};

/** Waits until no job is left, and checks the slow start: a recovered service must not be flooded. */
async function waitUntilDrained(
  { pushService, location }: Site,
  {
    findings,
    reportProgress,
  }: { readonly findings: Findings; readonly reportProgress: (line: string) => void },
): Promise<void> {
  const reader = await openDatabaseReader(location);
  const acceptedPerWindow: number[] = [];
  const startedAt = performance.now();
  let previousCount = pushService.acceptedCount;
  while (pushService.acceptedCount === previousCount) await wait(10);
  findings.recordDuration("until the first message is sent again", performance.now() - startedAt);
  for (;;) {
    await wait(WINDOW_MS);
    acceptedPerWindow.push(pushService.acceptedCount - previousCount);
    previousCount = pushService.acceptedCount;
    const [row] = await reader.query<{ count: number }>("select count(*) as count from send_job");
    reportProgress(`${row?.count} jobs wait`);
    if (Number(row?.count) === 0 || performance.now() - startedAt > DRAIN_TIMEOUT_MS) break;
  }
  await reader.close();
  const [firstWindow = 0] = acceptedPerWindow;
  const windowMax = Math.max(...acceptedPerWindow);
  findings.addNote(
    `drained in ${Math.round((performance.now() - startedAt) / 1_000)} s, ${firstWindow} in the first 10 s, at most ${windowMax}`,
  );
  // With few jobs, the first window sends most of them, so a share alone would be too strict.
  const firstWindowMax = Math.max(
    windowMax * FIRST_WINDOW_SHARE_MAX,
    computeReleaseLimit(WINDOW_MS, 0) * SLOWDOWN_MAX,
  );
  findings.expectTiming(
    firstWindow <= firstWindowMax,
    `${firstWindow} of ${windowMax} in the first 10 s`,
  );
}
