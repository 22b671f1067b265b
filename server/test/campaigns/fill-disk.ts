import { setTimeout as wait } from "node:timers/promises";
import { account } from "./accounting.ts";
import type { Campaign, Order } from "./campaign.ts";
import { somewhereBetween } from "./faults.ts";
import { Findings } from "./findings.ts";
import { mountSmallDisk, smallDiskObstacle } from "./small-disk.ts";
import { startSite, type Site } from "./site.ts";

const ACCEPTED_AGAIN_MAX_MS = 10_000;
const FULL_MIN_MS = 1_000;
const FULL_MAX_MS = 3_000;
const NOTICED_MAX_MS = 20_000;
const LOOK_EVERY_MS = 50;

/** The disk under SQLite's file is full for a while. */
export const fillDiskOfSqlite: Campaign = {
  name: "fill-disk-sqlite",
  fault: "the disk under SQLite's file is full, and has space again",
  rounds: { short: 1, full: 20 },
  obstacle: smallDiskObstacle,
  defect: {
    mistake: "a commit that the disk did not take is answered all the same",
    file: "database/sqlite-commit.ts",
    replace: `    if (hasBegun && database.isTransaction) database.exec("rollback");
    return pieces.map(() => ({ error }));`,
    by: `    if (database.isTransaction) database.exec("rollback");
    return pieces.map(() => ({ value: [{ rows: [], changes: 1 }] as T }));`,
    breaks: /accepted notifications are not stored/,
  },
  async run(order) {
    const disk = await mountSmallDisk(order.scope, 64);
    const { folder } = disk;
    const site = await startSite(order, {
      database: "sqlite",
      nodes: 1,
      perSecond: 100,
      keepsRate: true,
      folder,
    });
    return fillAgainAndAgain(order, { site, disk });
  },
};

/** The disk under PostgreSQL's data is full for a while; where it gives up, its supervisor starts it again. */
export const fillDiskOfPostgres: Campaign = {
  name: "fill-disk-postgres",
  fault: "the disk under PostgreSQL's data is full, and has space again",
  rounds: { short: 1, full: 20 },
  obstacle: smallDiskObstacle,
  defect: {
    mistake: "a transaction that failed is answered all the same",
    file: "database/postgres.ts",
    replace: "  if (failed !== undefined) throw failed.reason;",
    by: "",
    breaks: /accepted notifications are not stored/,
  },
  async run(order) {
    const disk = await mountSmallDisk(order.scope, 320);
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
    return fillAgainAndAgain(order, { site: await startSite(order, options), disk });
  },
};

interface Stage {
  readonly site: Site;
  readonly disk: Awaited<ReturnType<typeof mountSmallDisk>>;
}

async function fillAgainAndAgain(order: Order, { site, disk }: Stage): Promise<Findings> {
  const findings = new Findings(order);
  const { load, cluster } = site;
  load.start();
  for (let round = 1; round <= order.rounds; round += 1) {
    await wait(somewhereBetween(500, 2_000));
    disk.fill();
    const before = load.failedMs.length;
    await wait(somewhereBetween(FULL_MIN_MS, FULL_MAX_MS));
    // Files whose blocks are allocated can still be written for a while.
    const until = performance.now() + NOTICED_MAX_MS;
    while (load.failedMs.length === before && performance.now() < until) await wait(LOOK_EVERY_MS);
    const isNoticed = load.failedMs.length > before;
    findings.expect(isNoticed, `the disk was not full in round ${round}`);
    disk.free();
    await cluster?.revive();
    findings.time("accepted again", await load.untilAccepted());
    findings.runs = round;
    order.say(`full ${round} times, ${load.accepted.size} accepted`);
  }
  await account(site, findings);
  findings.judgeTimes("accepted again", ACCEPTED_AGAIN_MAX_MS);
  return findings;
}
