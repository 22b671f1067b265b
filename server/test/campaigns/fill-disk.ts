import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import { randomBetween } from "./fault-limits.ts";
import { Findings } from "./findings.ts";
import { mountSmallDisk, smallDiskObstacle } from "./small-disk.ts";
import { startSite, type Site } from "./site.ts";

const ACCEPTED_AGAIN_MAX_MS = 10_000;
const FULL_MIN_MS = 1_000;
const FULL_MAX_MS = 3_000;
const FAILURE_MAX_MS = 20_000;
const POLL_INTERVAL_MS = 50;

/** Fills the disk of the SQLite file for a while. */
export const fillDiskOfSqlite: Campaign = {
  name: "fill-disk-sqlite",
  fault: "the disk under SQLite's file is full, and has space again",
  rounds: { short: 1, full: 20 },
  obstacle: smallDiskObstacle,
  defect: {
    mistake: "a commit that failed on a full disk is acknowledged",
    file: "database/sqlite-commit.ts",
    replace: `    if (hasBegun && database.isTransaction) database.exec("rollback");
    return items.map(() => ({ error }));`,
    by: `    if (database.isTransaction) database.exec("rollback");
    return items.map(() => ({ value: [{ rows: [], changes: 1 }] as T }));`,
    breaks: /accepted notifications are not stored/,
  },
  async run(run) {
    const disk = await mountSmallDisk(run.scope, 64);
    const { folder } = disk;
    const site = await startSite(run, {
      database: "sqlite",
      nodes: 1,
      perSecond: 100,
      keepsRate: true,
      folder,
    });
    return fillRepeatedly(run, { site, disk });
  },
};

/** Fills the disk of PostgreSQL's data for a while; restarts PostgreSQL if it gives up. */
export const fillDiskOfPostgres: Campaign = {
  name: "fill-disk-postgres",
  fault: "the disk under PostgreSQL's data is full, and has space again",
  rounds: { short: 1, full: 20 },
  obstacle: smallDiskObstacle,
  defect: {
    mistake: "a failed transaction is acknowledged",
    file: "database/postgres.ts",
    replace: "  if (failed !== undefined) throw failed.reason;",
    by: "",
    breaks: /accepted notifications are not stored/,
  },
  async run(run) {
    const disk = await mountSmallDisk(run.scope, 320);
    const { folder } = disk;
    const flags = ["-cmax_wal_size=48MB", "-cmin_wal_size=32MB"];
    const options = {
      database: "postgres",
      nodes: 1,
      perSecond: 100,
      keepsRate: true,
      folder,
      flags,
    } as const;
    return fillRepeatedly(run, { site: await startSite(run, options), disk });
  },
};

interface DiskSetup {
  readonly site: Site;
  readonly disk: Awaited<ReturnType<typeof mountSmallDisk>>;
}

async function fillRepeatedly(run: RunOptions, { site, disk }: DiskSetup): Promise<Findings> {
  const findings = new Findings(run);
  const { load, cluster } = site;
  load.start();
  for (let round = 1; round <= run.rounds; round += 1) {
    await wait(randomBetween(500, 2_000));
    disk.fill();
    const before = load.failedMs.length;
    await wait(randomBetween(FULL_MIN_MS, FULL_MAX_MS));
    // Files with allocated blocks can still be written for a while.
    const until = performance.now() + FAILURE_MAX_MS;
    while (load.failedMs.length === before && performance.now() < until)
      await wait(POLL_INTERVAL_MS);
    const hasFailed = load.failedMs.length > before;
    findings.expect(hasFailed, `the disk was not full in round ${round}`);
    disk.free();
    await cluster?.ensureRunning();
    findings.time("accepted again", await load.untilAccepted());
    findings.runs = round;
    run.progress(`full ${round} times, ${load.accepted.size} accepted`);
  }
  await verifyDeliveries(site, findings);
  findings.checkTimes("accepted again", ACCEPTED_AGAIN_MAX_MS);
  return findings;
}
