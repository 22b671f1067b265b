import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import { randomBetween } from "./random-between.ts";
import { Findings } from "./findings.ts";
import { mountSmallDisk, findSmallDiskObstacle } from "./small-disk.ts";
import { startSite, type Site } from "./site.ts";

const SQLITE_DISK_MB = 64;
const POSTGRES_DISK_MB = 320;
const ACCEPTED_AGAIN_MAX_MS = 10_000;
const FULL_DISK_MIN_MS = 1_000;
const FULL_DISK_MAX_MS = 3_000;
const FIRST_FAILURE_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 50;

/** Repeatedly fills the disk of the SQLite file for a few seconds. */
export const fillDiskOfSqlite: Campaign = {
  name: "fill-disk-sqlite",
  fault: "the disk under SQLite's file becomes full, and later has space again",
  rounds: { short: 1, full: 20 },
  findObstacle: findSmallDiskObstacle,
  defects: [
    {
      mistake: "a commit that failed on a full disk is acknowledged",
      file: "database/sqlite-commit.ts",
      replace: `    if (hasBegun && database.isTransaction) database.exec("rollback");
    return items.map(() => ({ error }));`,
      by: `    if (database.isTransaction) database.exec("rollback");
    return items.map(() => ({ value: [{ rows: [], changes: 1 }] as T }));`,
      breaks: /accepted notifications are not stored/,
    },
  ],
  async run(run) {
    const disk = await mountSmallDisk(run.scope, SQLITE_DISK_MB);
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

/** Repeatedly fills the disk of PostgreSQL's data for a few seconds; restarts PostgreSQL if it stops. */
export const fillDiskOfPostgres: Campaign = {
  name: "fill-disk-postgres",
  fault: "the disk under PostgreSQL's data becomes full, and later has space again",
  rounds: { short: 1, full: 20 },
  findObstacle: findSmallDiskObstacle,
  defects: [
    {
      mistake: "a failed transaction is acknowledged",
      file: "database/postgres.ts",
      replace: "  if (failedResult !== undefined) throw failedResult.reason;",
      by: "",
      breaks: /accepted notifications are not stored/,
    },
  ],
  async run(run) {
    const disk = await mountSmallDisk(run.scope, POSTGRES_DISK_MB);
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
    const failuresBefore = load.failedLatenciesMs.length;
    await wait(randomBetween(FULL_DISK_MIN_MS, FULL_DISK_MAX_MS));
    // Files with allocated blocks can still be written for a while.
    const deadlineAt = performance.now() + FIRST_FAILURE_TIMEOUT_MS;
    while (load.failedLatenciesMs.length === failuresBefore && performance.now() < deadlineAt)
      await wait(POLL_INTERVAL_MS);
    const hasFailed = load.failedLatenciesMs.length > failuresBefore;
    findings.expect(hasFailed, `the disk was not full in round ${round}`);
    disk.free();
    await cluster?.ensureRunning();
    findings.recordDuration("accepted again", await load.waitUntilAccepted());
    findings.runCount = round;
    run.reportProgress(`full ${round} times, ${load.acceptedTitles.size} accepted`);
  }
  await verifyDeliveries(site, findings);
  findings.checkDurations("accepted again", ACCEPTED_AGAIN_MAX_MS);
  return findings;
}
