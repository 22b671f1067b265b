import { setTimeout as wait } from "node:timers/promises";
import { toTopic } from "#providers/webpush/payload.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import { openSnapshot, insertEndedJobs, openDatabaseReader } from "./database-reader.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import { Findings } from "./findings.ts";
import { FAILING_TOPIC } from "./campaign-push-service.ts";
import { startSite, type Site } from "./site.ts";

const PINNED_MS = 10 * 60_000;
const SHORT_PINNED_MS = 5_000;
/** Length of each measurement: before the snapshot, and at its end. */
const MEASURED_MS = 60_000;
const SHORT_MEASURED_MS = 3_000;
const SLOWDOWN_MAX = 1.5;
const NEGLIGIBLE_MS = 10;
/** A failed attempt is retried after one second, plus up to 20 % jitter. */
const RETRY_MS = 1_200;
const PICKED_UP_MAX_MS = 1_000;
/**
 * A claim reads the jobs that ended in the last half minute; all jobs that ended since the snapshot are many times
 * more.
 */
const ENTRIES_MAX = 4_000;
/** Ended jobs that the short form inserts: as many as end during the full form. */
const ENDED_JOB_COUNT = 120_000;
/** The notifications go to groups of one device, because only the number of jobs matters. */
const GROUP_SIZES = Array.from({ length: 50 }, () => 1);

/** Keeps a transaction open, so that PostgreSQL cannot vacuum the jobs that were deleted since then. */
export const pinnedSnapshot: Campaign = {
  name: "pinned-snapshot",
  fault:
    "a transaction that stays open on PostgreSQL for 10 minutes, so that no deleted row is vacuumed",
  rounds: { short: 1, full: 1 },
  defects: [
    {
      mistake: "each claim scans from the beginning",
      file: "delivery/store/claim-low-water-mark.ts",
      replace: "    const drainedAt = this.#isEnabled ?",
      by: "    const drainedAt = !this.#isEnabled ?",
      breaks: /claims read jobs that ended long ago/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const options = { database: "postgres", nodes: 1, perSecond: 200 } as const;
    const site = await startSite(run, { ...options, groupSizes: GROUP_SIZES });
    const { load, pushService, location } = site;
    pushService.failsFirstAttempts = true;
    load.start();
    // Skips the first, slower seconds.
    await wait(run.isShort ? 0 : MEASURED_MS / 2);
    const before = await measureLatencies(site, run);
    const releaseSnapshot = await openSnapshot(location);
    if (run.isShort) await insertEndedJobs(location, ENDED_JOB_COUNT);
    const readEntries = await trackEntriesRead(site);
    for (
      let remainingMs = run.isShort ? SHORT_PINNED_MS : PINNED_MS;
      remainingMs > 0;
      remainingMs -= 1_000
    ) {
      await wait(Math.min(1_000, remainingMs));
      run.reportProgress(
        `${Math.round(remainingMs / 1_000)} s to go, ${load.acceptedTitles.size} accepted`,
      );
    }
    const underFault = await measureLatencies(site, run);
    const entriesPerNotification = await readEntries();
    await releaseSnapshot();
    await load.pause();
    findings.runCount = 1;
    checkMeasurements(findings, { before, underFault, entriesPerNotification });
    await verifyDeliveries(site, findings);
    return findings;
  },
};

interface Measurements {
  readonly before: Latencies;
  readonly underFault: Latencies;
  /** Entries of the index of due jobs that were read for each notification. */
  readonly entriesPerNotification: number;
}

function checkMeasurements(
  findings: Findings,
  { before, underFault, entriesPerNotification }: Measurements,
): void {
  const bounds = { timesMax: SLOWDOWN_MAX, negligibleMs: NEGLIGIBLE_MS };
  findings.checkSlowdown("accepting", {
    before: before.accepted,
    underFault: underFault.accepted,
    ...bounds,
  });
  findings.checkSlowdown("sending", {
    before: before.sent,
    underFault: underFault.sent,
    ...bounds,
  });
  findings.addNote(
    `${Math.round(entriesPerNotification)} entries of due jobs read for each notification`,
  );
  findings.expect(entriesPerNotification <= ENTRIES_MAX, "claims read jobs that ended long ago");
  for (const ms of underFault.retried)
    findings.recordDuration("due until picked up", ms - RETRY_MS);
  findings.checkDurations("due until picked up", PICKED_UP_MAX_MS);
}

/**
 * Returns a function that returns the number of index entries of due jobs that were read since this call, per notification.
 */
async function trackEntriesRead({ load, location }: Site): Promise<() => Promise<number>> {
  const reader = await openDatabaseReader(location);
  const query = async () => {
    const [row] = await reader.query<{ entries: string }>(ENTRIES_READ);
    return Number(row?.entries);
  };
  const entriesBefore = await query();
  const acceptedBefore = load.acceptedTitles.size;
  return async () => {
    const entries = (await query()) - entriesBefore;
    await reader.close();
    return entries / (load.acceptedTitles.size - acceptedBefore);
  };
}

/** Counts deleted rows too (PostgreSQL, "The Cumulative Statistics System"). */
const ENTRIES_READ = `
  select idx_tup_read as entries from pg_stat_user_indexes where indexrelname = 'send_job_due'`;

/** Latencies of the notifications of one measurement, in milliseconds. */
interface Latencies {
  readonly accepted: readonly number[];
  /** From acceptance to the push service, for notifications whose first attempt succeeds. */
  readonly sent: readonly number[];
  /** From acceptance to the push service, for notifications whose first attempt fails. */
  readonly retried: readonly number[];
}

async function measureLatencies({ load, pushService }: Site, run: RunOptions): Promise<Latencies> {
  const startedAt = performance.now();
  load.acceptedLatenciesMs.length = 0;
  await wait(run.isShort ? SHORT_MEASURED_MS : MEASURED_MS);
  const accepted = [...load.acceptedLatenciesMs];
  const endedAt = performance.now();
  // Waits for the retries of the last notifications.
  await wait(2 * RETRY_MS);
  const latencies = { accepted, sent: [] as number[], retried: [] as number[] };
  for (const [id, acceptedAt] of load.acceptedAtById) {
    if (acceptedAt < startedAt || acceptedAt > endedAt) continue;
    const topic = toTopic(id);
    const latenciesMs = FAILING_TOPIC.test(topic) ? latencies.retried : latencies.sent;
    latenciesMs.push(
      (pushService.lastMessageAtByTopic.get(topic) ?? Number.POSITIVE_INFINITY) - acceptedAt,
    );
  }
  return latencies;
}
