import { setTimeout as wait } from "node:timers/promises";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import type { Defect } from "./defect.ts";
import { findFakeClockObstacle, createFakeClock, type FakeClock } from "./fake-clock.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time between two jumps: processes see a new offset within a second. */
const JUMP_INTERVAL_MS = 4_000;
const SHORT_JUMP_INTERVAL_MS = 2_500;
const NODE_COUNT = 3;
/** Longer than any retention period or retry delay. */
const FAR_AHEAD_MS = 40 * DAY_MS;
/** A push service's response to a sender whose clock is a day behind or far ahead. */
const EXPIRY_REFUSAL = /exp is (?:in the past|more than 24 hours ahead)/;

/** Sets the machines' clocks to different times; nodes use the database's clock, so deliveries must not be affected. */
export const setClocksOfNodes: Campaign = {
  name: "clock-of-nodes",
  fault: "the clocks of three machines on PostgreSQL jump by hours and days",
  rounds: { short: 1, full: 10 },
  findObstacle: findFakeClockObstacle,
  defects: [
    {
      mistake: "each node uses the clock of its machine",
      file: "nodes/database-clock.ts",
      replace: "    return Math.floor(this.#elapsed() + this.#offset);",
      by: "    return Date.now();",
      breaks: /duplicates|no recorded outcome|were not accepted/,
    },
  ],
  async run(run) {
    const clocks = await Promise.all(
      Array.from({ length: NODE_COUNT }, () => createFakeClock(run.scope)),
    );
    const site = await startSite(run, {
      database: "postgres",
      nodes: NODE_COUNT,
      perSecond: 100,
      getNodeEnvironment: (index) => clocks[index]?.environment ?? {},
    });
    const offsetsMs = [HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, 0];
    return setClocksRepeatedly(run, {
      site,
      clocks,
      offsetsMs,
      duplicatesPerJumpMax: 0,
      failuresPerJumpMax: 0,
    });
  },
};

const NO_ROLLBACK_NOTICED: Defect = {
  mistake: "no node detects that the clock was set back",
  file: "delivery/clock-rollback.ts",
  replace: "    if (at < this.#lastAt - CORRECTION_MAX_MS)",
  by: "    if (at < this.#lastAt - 1e15)",
  breaks: /jobs are left/,
};

/** Sets the database's clock, which all nodes use. */
export const setClockOfDatabase: Campaign = {
  name: "clock-of-database",
  fault:
    "PostgreSQL's clock jumps by an hour, back by an hour and a day, and 40 days ahead across a restart",
  rounds: { short: 1, full: 10 },
  findObstacle: findFakeClockObstacle,
  defects: [NO_ROLLBACK_NOTICED],
  async run(run) {
    const clock = await createFakeClock(run.scope);
    const site = await startSite(run, {
      database: "postgres",
      nodes: NODE_COUNT,
      perSecond: 100,
      clusterEnvironment: clock.environment,
      expectedRefusals: EXPIRY_REFUSAL,
    });
    // After a jump ahead, nodes consider each other dead and repeat the requests in progress.
    const duplicatesPerJumpMax = NODE_COUNT * DUPLICATES_PER_CRASH_MAX;
    const offsetsMs = [HOUR_MS, -HOUR_MS, 0, -DAY_MS, 0, FAR_AHEAD_MS, 0];
    // PostgreSQL's timeouts use its own clock: statements in progress at a jump time out.
    const failuresPerJumpMax = 50;
    const limits = { duplicatesPerJumpMax, failuresPerJumpMax };
    return setClocksRepeatedly(run, { site, clocks: [clock], offsetsMs, ...limits });
  },
};

/** Sets the clock of the only machine. */
export const setClockOfSqlite: Campaign = {
  name: "clock-of-sqlite",
  fault:
    "the clock of the machine with SQLite jumps by an hour, back by an hour and a day, and 40 days ahead across a restart",
  rounds: { short: 1, full: 10 },
  findObstacle: findFakeClockObstacle,
  defects: [NO_ROLLBACK_NOTICED],
  async run(run) {
    const clock = await createFakeClock(run.scope);
    const { environment } = clock;
    const site = await startSite(run, {
      database: "sqlite",
      nodes: 1,
      perSecond: 100,
      environment,
      expectedRefusals: EXPIRY_REFUSAL,
    });
    const offsetsMs = [HOUR_MS, -HOUR_MS, 0, -DAY_MS, 0, FAR_AHEAD_MS, 0];
    return setClocksRepeatedly(run, {
      site,
      clocks: [clock],
      offsetsMs,
      duplicatesPerJumpMax: 0,
      failuresPerJumpMax: 0,
    });
  },
};

interface ClockPlan {
  readonly site: Site;
  readonly clocks: readonly FakeClock[];
  /** Offsets from the real time in milliseconds, one after another. */
  readonly offsetsMs: readonly number[];
  readonly duplicatesPerJumpMax: number;
  /** Maximum number of failed requests per jump. */
  readonly failuresPerJumpMax: number;
}

/** Terminates all servers, sets the clock and starts them again. */
async function setClocksAcrossRestart(
  { nodes }: Site,
  { setClocks, findings }: { readonly setClocks: () => void; readonly findings: Findings },
): Promise<void> {
  const terminations = await Promise.all(nodes.map((node) => node.terminate()));
  const codes = terminations.map(({ exitCode }) => exitCode);
  findings.expect(
    codes.every((code) => code === 0),
    `nodes exited with codes ${codes.join()}`,
  );
  setClocks();
  // Waits for every start, so that no start is still in progress when another has failed.
  const starts = await Promise.allSettled(nodes.map((node) => node.start()));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
}

async function setClocksRepeatedly(
  run: RunOptions,
  { site, clocks, offsetsMs, duplicatesPerJumpMax, failuresPerJumpMax }: ClockPlan,
): Promise<Findings> {
  const findings = new Findings(run);
  const { load, pushService } = site;
  // Ensures that some jobs wait for a retry at each jump.
  pushService.failsFirstAttempts = true;
  load.start();
  for (let round = 1; round <= run.rounds; round += 1) {
    for (const index of offsetsMs.keys()) {
      // Several clocks get different offsets.
      const setClocks = () => {
        for (const [clockIndex, clock] of clocks.entries()) {
          clock.setOffset(offsetsMs[(index + clockIndex) % offsetsMs.length] ?? 0);
        }
      };
      // A large jump happens at a boot, and so does its correction.
      const needsRestart = [offsetsMs[index], offsetsMs[index - 1]].includes(FAR_AHEAD_MS);
      await (needsRestart ? setClocksAcrossRestart(site, { setClocks, findings }) : setClocks());
      await wait(run.isShort ? SHORT_JUMP_INTERVAL_MS : JUMP_INTERVAL_MS);
      run.reportProgress(
        `clock set ${(round - 1) * offsetsMs.length + index + 1} times, ${load.acceptedTitles.size} accepted`,
      );
    }
    for (const clock of clocks) clock.setOffset(0);
    findings.runCount = round * offsetsMs.length;
  }
  findings.duplicatesMax = findings.runCount * duplicatesPerJumpMax;
  await verifyDeliveries(site, findings);
  const failures = load.failedLatenciesMs.length;
  const failuresMax = findings.runCount * failuresPerJumpMax;
  findings.expect(failures <= failuresMax, `${failures} requests failed, above ${failuresMax}`);
  return findings;
}
