import { setTimeout as wait } from "node:timers/promises";
import { account } from "./accounting.ts";
import type { Campaign, Order } from "./campaign.ts";
import type { Defect } from "./defect.ts";
import { falseClockObstacle, makeFalseClock, type FalseClock } from "./faketime.ts";
import { DUPLICATES_OF_DEATH } from "./faults.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** So long each clock stays where it was set: processes see it within a second. */
const STAY_MS = 4_000;
const SHORT_STAY_MS = 2_500;
const NODES = 3;
/** Longer than anything is kept, and more than anybody rests. */
const FAR_AHEAD = 40 * DAY;
/** A push service's answer to a sender whose clock is a day behind, or far ahead. */
const WRONG_TOKEN = /exp is (?:in the past|more than 24 hours ahead)/;

/** The clocks of the machines jump, each elsewhere: the database's clock rules, and nobody notices. */
export const setClocksOfNodes: Campaign = {
  name: "clock-of-nodes",
  fault: "the clocks of three machines on PostgreSQL jump by hours and days",
  rounds: { short: 1, full: 10 },
  obstacle: falseClockObstacle,
  defect: {
    mistake: "each node goes by the clock of its machine",
    file: "nodes/database-clock.ts",
    replace: "    return Math.floor(this.#elapsed() + this.#offset);",
    by: "    return Date.now();",
    breaks: /duplicates|no recorded outcome|otherwise than accepted/,
  },
  async run(order) {
    const clocks = await Promise.all(
      Array.from({ length: NODES }, () => makeFalseClock(order.scope)),
    );
    const site = await startSite(order, {
      database: "postgres",
      nodes: NODES,
      perSecond: 100,
      environmentOf: (index) => clocks[index]?.environment ?? {},
    });
    const jumps = [HOUR, -HOUR, DAY, -DAY, 0];
    return setAgainAndAgain(order, { site, clocks, jumps, duplicatesOfJump: 0, failuresOfJump: 0 });
  },
};

const NO_ROLLBACK_NOTICED: Defect = {
  mistake: "no node notices that the clock was set back",
  file: "delivery/clock-rollback.ts",
  replace: "    if (at < this.#lastAt - ROLLBACK_MIN_MS)",
  by: "    if (at < this.#lastAt - 1e15)",
  breaks: /jobs are owed/,
};

/** The clock of the database jumps, which the nodes go by. */
export const setClockOfDatabase: Campaign = {
  name: "clock-of-database",
  fault:
    "PostgreSQL's clock jumps by an hour, back by an hour and a day, and 40 days ahead over a start",
  rounds: { short: 1, full: 10 },
  obstacle: falseClockObstacle,
  defect: NO_ROLLBACK_NOTICED,
  async run(order) {
    const clock = await makeFalseClock(order.scope);
    const site = await startSite(order, {
      database: "postgres",
      nodes: NODES,
      perSecond: 100,
      clusterEnvironment: clock.environment,
      refusals: WRONG_TOKEN,
    });
    // After a jump ahead the others seem dead: what was under way is sent again.
    const duplicatesOfJump = NODES * DUPLICATES_OF_DEATH;
    const jumps = [HOUR, -HOUR, 0, -DAY, 0, FAR_AHEAD, 0];
    // PostgreSQL ends what runs by its own clock: what is under way at a jump took too long.
    const failuresOfJump = 50;
    const costs = { duplicatesOfJump, failuresOfJump };
    return setAgainAndAgain(order, { site, clocks: [clock], jumps, ...costs });
  },
};

/** The clock of the only machine jumps. */
export const setClockOfSqlite: Campaign = {
  name: "clock-of-sqlite",
  fault:
    "the clock of the machine with SQLite jumps by an hour, back by an hour and a day, and 40 days ahead over a start",
  rounds: { short: 1, full: 10 },
  obstacle: falseClockObstacle,
  defect: NO_ROLLBACK_NOTICED,
  async run(order) {
    const clock = await makeFalseClock(order.scope);
    const { environment } = clock;
    const options = {
      database: "sqlite",
      nodes: 1,
      perSecond: 100,
      environment,
      refusals: WRONG_TOKEN,
    } as const;
    const site = await startSite(order, options);
    const jumps = [HOUR, -HOUR, 0, -DAY, 0, FAR_AHEAD, 0];
    return setAgainAndAgain(order, {
      site,
      clocks: [clock],
      jumps,
      duplicatesOfJump: 0,
      failuresOfJump: 0,
    });
  },
};

interface Plan {
  readonly site: Site;
  readonly clocks: readonly FalseClock[];
  /** Milliseconds from the real time, one after the other. */
  readonly jumps: readonly number[];
  readonly duplicatesOfJump: number;
  /** Requests that are told to come again. */
  readonly failuresOfJump: number;
}

/** Ends all servers, sets the clock and starts them again. */
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
  // One that does not start leaves none behind that starts after everything was stopped.
  const starts = await Promise.allSettled(nodes.map((node) => node.start()));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
}

async function setAgainAndAgain(
  order: Order,
  { site, clocks, jumps, duplicatesOfJump, failuresOfJump }: Plan,
): Promise<Findings> {
  const findings = new Findings(order);
  const { load, receiver } = site;
  // So that at each jump some work waits for a moment to come.
  receiver.failsFirst = true;
  load.start();
  for (let round = 1; round <= order.rounds; round += 1) {
    for (const index of jumps.keys()) {
      // Several clocks show different times.
      const set = () => {
        for (const [which, clock] of clocks.entries()) {
          clock.set(jumps[(index + which) % jumps.length] ?? 0);
        }
      };
      // A machine that boots finds its clock elsewhere; so it does where somebody has mended it.
      const isBoot = [jumps[index], jumps[index - 1]].includes(FAR_AHEAD);
      await (isBoot ? boot(site, { set, findings }) : set());
      await wait(order.isShort ? SHORT_STAY_MS : STAY_MS);
      order.say(
        `set ${(round - 1) * jumps.length + index + 1} times, ${load.accepted.size} accepted`,
      );
    }
    for (const clock of clocks) clock.set(0);
    findings.runs = round * jumps.length;
  }
  findings.duplicatesMax = findings.runs * duplicatesOfJump;
  await account(site, findings);
  const failures = load.failedMs.length;
  const failuresMax = findings.runs * failuresOfJump;
  findings.expect(failures <= failuresMax, `${failures} requests failed, above ${failuresMax}`);
  return findings;
}
