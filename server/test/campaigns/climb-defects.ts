import type { Defect } from "./defect.ts";

const COMMIT = "incidents/store/commit-change.ts";

/** Gives a kill at a random time a good chance to fall between two commits. */
const PAUSE = `await wait(1_500);`;

/** A mistake with which nobody takes over the work of a dead node until its incidents have stopped ringing. */
export const LATE_TAKEOVER: Defect = {
  mistake: "the jobs of a dead node are due a minute after its death",
  file: "delivery/store/create-store.ts",
  replace: `    .set({ run_at: now(), ...ABANDONED_JOB })
    .where("lane", "in", LANES)
    .where("run_at", "<=", now() + LEASE_AHEAD_MAX_MS)
    .where("owner", "in", owners)`,
  by: `    .set({ run_at: now() + 60_000, ...ABANDONED_JOB })
    .where("lane", "in", LANES)
    .where("run_at", "<=", now() + LEASE_AHEAD_MAX_MS)
    .where("owner", "in", owners)`,
  breaks: /expired before a node sent them/,
};

/** Mistakes that lose or repeat a step if a process dies between two commits. */
export const CLIMB_DEFECTS: readonly [Defect, ...Defect[]] = [
  {
    mistake: "an incident is changed in one transaction, and its pushes are stored in the next",
    file: COMMIT,
    replace: "    const results = await database.atomically(statements);",
    by: `    await database.atomically(statements.slice(0, 1));
    ${PAUSE}
    const results = await database.atomically(statements.slice(1));`,
    breaks:
      /have an unexpected history|has events of the steps|has no event|timers or jobs|rings and/,
  },
  {
    mistake: "the timers of a change are set and removed after it is stored",
    file: COMMIT,
    replace: "    const results = await database.atomically(statements);",
    by: `    const isOfTimer = (one: Compilable) => /^(?:insert into|delete from) "timer"/.test(one.compile().sql);
    const results = await database.atomically(statements.filter((one) => !isOfTimer(one)));
    ${PAUSE}
    await database.atomically(statements.filter(isOfTimer));`,
    breaks: /have an unexpected history|has events of the steps|timers or jobs|rings and/,
  },
];
