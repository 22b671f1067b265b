import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import type { Defect } from "./defect.ts";
import { fakeClockObstacle, createFakeClock, type FakeClock } from "./fake-clock.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./fault-limits.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time between two jumps: processes see a new offset within a second. */
const STAY_MS = 4_000;
const SHORT_STAY_MS = 2_500;
const NODES = 3;
/** Longer than any retention period or retry delay. */
const FAR_AHEAD_MS = 40 * DAY_MS;
/** A push service's response to a sender whose clock is a day behind or far ahead. */
const WRONG_TOKEN = /exp is (?:in the past|more than 24 hours ahead)/;

/** Sets the machines' clocks to different times; nodes use the database's clock, so nothing may change. */
export const setClocksOfNodes: Campaign = {
  name: "clock-of-nodes",
  fault: "the clocks of three machines on PostgreSQL jump by hours and days",
  rounds: { short: 1, full: 10 },
  obstacle: fakeClockObstacle,
  defect: {
    mistake: "each node uses the clock of its machine",
    file: "nodes/database-clock.ts",
    replace: "    return Math.floor(this.#elapsed() + this.#offset);",
    by: "    return Date.now();",
    breaks: /duplicates|no recorded outcome|were not accepted/,
  },
  async run(run) {
    const clocks = await Promise.all(
      Array.from({ length: NODES }, () => createFakeClock(run.scope)),
    );
    const site = await startSite(run, {
      database: "postgres",
      nodes: NODES,
      perSecond: 100,
      environmentOf: (index) => clocks[index]?.environment ?? {},
    });
    const jumps = [HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, 0];
    return setRepeatedly(run, { site, clocks, jumps, duplicatesPerJump: 0, failuresPerJump: 0 });
  },
};

const NO_ROLLBACK_NOTICED: Defect = {
  mistake: "no node detects that the clock was set back",
  file: "delivery/clock-rollback.ts",
  replace: "    if (at < this.#lastAt - ROLLBACK_MIN_MS)",
  by: "    if (at < this.#lastAt - 1e15)",
  breaks: /jobs are left/,
};

/** Sets the database's clock, which all nodes use. */
export const setClockOfDatabase: Campaign = {
  name: "clock-of-database",
  fault:
    "PostgreSQL's clock jumps by an hour, back by an hour and a day, and 40 days ahead over a start",
  rounds: { short: 1, full: 10 },
  obstacle: fakeClockObstacle,
  defect: NO_ROLLBACK_NOTICED,
  async run(run) {
    const clock = await createFakeClock(run.scope);
    const site = await startSite(run, {
      database: "postgres",
      nodes: NODES,
      perSecond: 100,
      clusterEnvironment: clock.environment,
      refusals: WRONG_TOKEN,
    });
    // After a jump ahead, nodes consider each other dead and repeat the requests in progress.
    const duplicatesPerJump = NODES * DUPLICATES_PER_CRASH_MAX;
    const jumps = [HOUR_MS, -HOUR_MS, 0, -DAY_MS, 0, FAR_AHEAD_MS, 0];
    // PostgreSQL's timeouts use its own clock: statements in progress at a jump time out.
    const failuresPerJump = 50;
    const costs = { duplicatesPerJump, failuresPerJump };
    return setRepeatedly(run, { site, clocks: [clock], jumps, ...costs });
  },
};

/** Sets the clock of the only machine. */
export const setClockOfSqlite: Campaign = {
  name: "clock-of-sqlite",
  fault:
    "the clock of the machine with SQLite jumps by an hour, back by an hour and a day, and 40 days ahead over a start",
  rounds: { short: 1, full: 10 },
  obstacle: fakeClockObstacle,
  defect: NO_ROLLBACK_NOTICED,
  async run(run) {
    const clock = await createFakeClock(run.scope);
    const { environment } = clock;
    const options = {
      database: "sqlite",
      nodes: 1,
      perSecond: 100,
      environment,
      refusals: WRONG_TOKEN,
    } as const;
    const site = await startSite(run, options);
    const jumps = [HOUR_MS, -HOUR_MS, 0, -DAY_MS, 0, FAR_AHEAD_MS, 0];
    return setRepeatedly(run, {
      site,
      clocks: [clock],
      jumps,
      duplicatesPerJump: 0,
      failuresPerJump: 0,
    });
  },
};

interface Plan {
  readonly site: Site;
  readonly clocks: readonly FakeClock[];
  /** Offsets from the real time in milliseconds, one after the other. */
  readonly jumps: readonly number[];
  readonly duplicatesPerJump: number;
  /** Maximum number of failed requests per jump. */
  readonly failuresPerJump: number;
}

/** Terminates all servers, sets the clock and starts them again. */
async function boot(
  { nodes }: Site,
  { set, findings }: { readonly set: () => void; readonly findings: Findings },
): Promise<void> {
  const codes = await Promise.all(nodes.map((node) => node.terminate()));
  findings.expect(
    codes.every((code) => code === 0),
    `nodes ended with codes ${codes.join()}`,
  );
  set();
  // Waits for every start, so that none runs on after one of them failed.
  const starts = await Promise.allSettled(nodes.map((node) => node.start()));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
}

async function setRepeatedly(
  run: RunOptions,
  { site, clocks, jumps, duplicatesPerJump, failuresPerJump }: Plan,
): Promise<Findings> {
  const findings = new Findings(run);
  const { load, receiver } = site;
  // Ensures that some jobs wait for a retry at each jump.
  receiver.failsFirst = true;
  load.start();
  for (let round = 1; round <= run.rounds; round += 1) {
    for (const index of jumps.keys()) {
      // Several clocks get different offsets.
      const set = () => {
        for (const [clockIndex, clock] of clocks.entries()) {
          clock.set(jumps[(index + clockIndex) % jumps.length] ?? 0);
        }
      };
      // A large jump happens at a boot, and so does its correction.
      const isBoot = [jumps[index], jumps[index - 1]].includes(FAR_AHEAD_MS);
      await (isBoot ? boot(site, { set, findings }) : set());
      await wait(run.isShort ? SHORT_STAY_MS : STAY_MS);
      run.progress(
        `set ${(round - 1) * jumps.length + index + 1} times, ${load.accepted.size} accepted`,
      );
    }
    for (const clock of clocks) clock.set(0);
    findings.runs = round * jumps.length;
  }
  findings.duplicatesMax = findings.runs * duplicatesPerJump;
  await verifyDeliveries(site, findings);
  const failures = load.failedMs.length;
  const failuresMax = findings.runs * failuresPerJump;
  findings.expect(failures <= failuresMax, `${failures} requests failed, above ${failuresMax}`);
  return findings;
}
