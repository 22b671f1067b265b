import { setTimeout as wait } from "node:timers/promises";
import type { Campaign, RunOptions } from "./campaign.ts";
import { CLIMB_DEFECTS, LATE_TAKEOVER } from "./climb-defects.ts";
import { CLIMB_POLICY, createClimbPolicy } from "./climb-policy.ts";
import { openDatabaseReader } from "./database-reader.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { Findings } from "./findings.ts";
import { IncidentSender } from "./incident-sender.ts";
import { startSite, type Site } from "./site.ts";
import type { SiteNode } from "./site-node.ts";
import { readIncidentRecords, verifyIncidentPushes, waitUntilQuiet } from "./verify-incidents.ts";

/** The number of devices that each step adds. */
const GROUP_SIZES = [2, 2, 2];
const KILL_INTERVAL_MS = 1_000;
/** Longest time from the opening of emergencies to the kill. */
const KILL_DELAY_MAX_MS = 200;
/** The shortest repeat interval and expiry that a sender may ask for. */
const REPEAT_EVERY_S = 30;
const EXPIRE_AFTER_S = 60;
/** Covers the time until an incident expires, and the takeover of the last killed node's jobs. */
const QUIET_MAX_MS = 180_000;
/** The history of every incident, however often nodes die: each step, one ring and the expiry, once and in order. */
const HISTORY = ["opened", "step 1", "step 2", "step 3", "ring 1", "expired"].join(", ");
/**
 * Half the time until an incident expires, because a machine that starts a server each second fires few timers
 * meanwhile.
 */
const STEP_LATE_MAX_MS = 30_000;

/** Kills one of three nodes while emergencies climb. */
export const climbOnNodes: Campaign = {
  name: "climb-nodes",
  fault: "kill -9 of one of three nodes each second, while emergencies climb three steps of 2 s",
  rounds: { short: 6, full: 100 },
  size: { short: 12, full: 200 },
  defects: [...CLIMB_DEFECTS, LATE_TAKEOVER],
  run: (run) => climb(run, { database: "postgres", nodes: 3 }),
};

/** Kills the server on SQLite while emergencies climb. */
export const climbOnSqlite: Campaign = {
  name: "climb-sqlite",
  fault: "kill -9 of the server on SQLite each second, while emergencies climb three steps of 2 s",
  rounds: { short: 6, full: 200 },
  size: { short: 12, full: 200 },
  defects: CLIMB_DEFECTS,
  run: (run) => climb(run, { database: "sqlite", nodes: 1 }),
};

async function climb(
  run: RunOptions,
  deployment: { readonly database: "sqlite" | "postgres"; readonly nodes: number },
): Promise<Findings> {
  const findings = new Findings(run);
  const site = await startSite(run, { ...deployment, perSecond: 1, groupSizes: GROUP_SIZES });
  await createClimbPolicy(site.people);
  const sender = new IncidentSender(site.nodes, site.people.ann.key);
  await killRepeatedly(run, { site, sender, findings });
  const reader = await openDatabaseReader(site.location);
  run.scope.after(() => reader.close());
  const isQuiet = await waitUntilQuiet(reader, QUIET_MAX_MS);
  findings.expect(isQuiet, "timers or jobs are left");
  findings.duplicatesMax = findings.runCount * DUPLICATES_PER_CRASH_MAX;
  findings.acceptedCount = sender.acceptedKeys.size;
  const records = await readIncidentRecords(reader, findings);
  checkRecords(findings, sender, records);
  const { pushService } = site;
  const otherOutcomes = await verifyIncidentPushes(reader, { pushService, findings });
  const expiredCount = otherOutcomes.get("expired expired") ?? 0;
  // A push expires when its incident stops ringing. Before that, another node must take the push over and send it.
  const hasOtherNodes = deployment.nodes > 1;
  findings.expect(
    !hasOtherNodes || expiredCount === 0,
    `${expiredCount} pushes expired before a node sent them`,
  );
  findings.checkDurations("steps late", STEP_LATE_MAX_MS);
  return findings;
}

interface Climb {
  readonly site: Site;
  readonly sender: IncidentSender;
  readonly findings: Findings;
}

/** Opens emergencies, and kills a node each second. Resolves once all nodes run and all triggers have ended. */
async function killRepeatedly(
  { rounds, size, reportProgress }: RunOptions,
  { site: { nodes }, sender, findings }: Climb,
): Promise<void> {
  const starts = new Map<SiteNode, Promise<void>>();
  const triggers: Promise<unknown>[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const victim = nodes[round % nodes.length] ?? nodes[0];
    // Even a process that starts slowly runs for a second, and two of three nodes always run. If all were silent again
    // and again, as on a slow machine, no node would live long enough to take over from another.
    await Promise.all(starts.values());
    await wait(KILL_INTERVAL_MS);
    while (triggers.length < (size / rounds) * round)
      triggers.push(openEmergency(sender, `climb ${triggers.length}`));
    // With this delay, more kills fall between the acceptance of an emergency and its push.
    await wait(Math.random() * KILL_DELAY_MAX_MS);
    await victim.kill();
    starts.set(victim, victim.start());
    findings.runCount = round;
    reportProgress(`killed ${round} times, ${sender.acceptedKeys.size} accepted`);
  }
  await Promise.all(starts.values());
  await Promise.all(triggers);
}

function openEmergency(sender: IncidentSender, incidentKey: string): Promise<unknown> {
  const content = { title: "Disk full", body: incidentKey, priority: "emergency" };
  const escalation = CLIMB_POLICY;
  const ringing = { repeatEvery: REPEAT_EVERY_S, expireAfter: EXPIRE_AFTER_S, escalation };
  return sender.triggerUntilAccepted(incidentKey, { ...content, ...ringing });
}

function checkRecords(
  findings: Findings,
  { acceptedKeys, attemptCounts, unexpectedResponses }: IncidentSender,
  records: Awaited<ReturnType<typeof readIncidentRecords>>,
): void {
  const keys = new Set(records.map(({ key }) => key));
  const missing = [...acceptedKeys].filter((key) => !keys.has(key));
  findings.lostCount += missing.length;
  findings.expect(missing.length === 0, `${missing.length} accepted emergencies are not stored`);
  findings.expect(keys.size === records.length, "a key has several incidents");
  const unexpectedRecords = records.filter(({ history }) => history.join(", ") !== HISTORY);
  const [first] = unexpectedRecords;
  findings.expect(
    unexpectedRecords.length === 0,
    `${unexpectedRecords.length} incidents have an unexpected history: ${first?.history.join(", ")}`,
  );
  const miscounted = records.filter(
    ({ key, occurrences }) => occurrences > (attemptCounts.get(key) ?? 0),
  );
  findings.expect(
    miscounted.length === 0,
    `${miscounted.length} incidents count too many triggers`,
  );
  findings.expect(
    unexpectedResponses.length === 0,
    `${unexpectedResponses.length} unexpected responses: ${unexpectedResponses[0]}`,
  );
}
