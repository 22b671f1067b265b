import { setTimeout as wait } from "node:timers/promises";
import type { Campaign, RunOptions } from "./campaign.ts";
import { CLIMB_POLICY, createClimbPolicy } from "./climb-policy.ts";
import { openDatabaseReader } from "./database-reader.ts";
import { Findings } from "./findings.ts";
import { IncidentSender } from "./incident-sender.ts";
import { startSite } from "./site.ts";
import { LATENESS_DEFECTS } from "./timer-lateness-defects.ts";
import { readIncidentRecords, verifyIncidentPushes, waitUntilQuiet } from "./verify-incidents.ts";

/** Ten steps, each of which rings one further device. */
const GROUP_SIZES = Array.from({ length: 10 }, () => 1);
/** Nine steps after the first, one ring, and the expiry. */
const FIRINGS_PER_INCIDENT = 11;
const FIRINGS_PER_MINUTE = 1_000;
const OPEN_INTERVAL_MS = (60_000 * FIRINGS_PER_INCIDENT) / FIRINGS_PER_MINUTE;
/** The shortest repeat interval and expiry that a sender may ask for. */
const RINGING = { repeatEvery: 30, expireAfter: 60 };
const QUIET_MAX_MS = 180_000;
const LATE_MAX_MS = 250;
/** A more lenient limit, because the short form runs while other campaigns start their servers. */
const SHORT_LATE_MAX_MS = 1_000;

const HISTORY = [
  "opened",
  ...GROUP_SIZES.map((_, index) => `step ${index + 1}`),
  "ring 1",
  "expired",
].join(", ");

const FAULT =
  "no fault; load: 1,000 timers a minute fire while emergencies climb ten steps and ring";

/** Measures how late timers fire on SQLite. */
export const latenessOnSqlite: Campaign = {
  name: "lateness-sqlite",
  fault: `${FAULT}, on SQLite`,
  rounds: { short: 1, full: 1 },
  size: { short: 20, full: 300 },
  defects: LATENESS_DEFECTS,
  run: (run) => measure(run, { database: "sqlite", nodes: 1 }),
};

/** Measures how late timers fire on three nodes that compete for them. */
export const latenessOnNodes: Campaign = {
  name: "lateness-nodes",
  fault: `${FAULT}, on three nodes`,
  rounds: { short: 1, full: 1 },
  size: { short: 20, full: 300 },
  defects: LATENESS_DEFECTS,
  run: (run) => measure(run, { database: "postgres", nodes: 3 }),
};

async function measure(
  run: RunOptions,
  deployment: { readonly database: "sqlite" | "postgres"; readonly nodes: number },
): Promise<Findings> {
  const findings = new Findings(run);
  const site = await startSite(run, { ...deployment, perSecond: 1, groupSizes: GROUP_SIZES });
  await createClimbPolicy(site.people);
  const sender = new IncidentSender(site.nodes, site.people.ann.key);
  await openSteadily(run, sender);
  const reader = await openDatabaseReader(site.location);
  run.scope.after(() => reader.close());
  findings.expect(await waitUntilQuiet(reader, QUIET_MAX_MS), "timers or jobs are left");
  findings.runCount = 1;
  findings.acceptedCount = sender.acceptedKeys.size;
  const records = await readIncidentRecords(reader, findings);
  const unexpectedRecords = records.filter(({ history }) => history.join(", ") !== HISTORY);
  findings.expect(
    unexpectedRecords.length === 0 && records.length === run.size,
    `${unexpectedRecords.length} of ${records.length} incidents have an unexpected history: ${unexpectedRecords[0]?.history.join(", ")}`,
  );
  await verifyIncidentPushes(reader, { pushService: site.pushService, findings });
  const lateMaxMs = run.isShort ? SHORT_LATE_MAX_MS : LATE_MAX_MS;
  findings.checkDurations("steps late", lateMaxMs);
  findings.checkDurations("rings late", lateMaxMs);
  return findings;
}

/** Opens emergencies at such a rate that `FIRINGS_PER_MINUTE` timers fire. */
async function openSteadily(
  { size, reportProgress }: RunOptions,
  sender: IncidentSender,
): Promise<void> {
  const startedAt = performance.now();
  const triggers: Promise<unknown>[] = [];
  while (triggers.length < size) {
    const incidentKey = `late ${triggers.length}`;
    const content = { title: "Disk full", body: incidentKey, priority: "emergency" };
    const fields = { ...content, ...RINGING, escalation: CLIMB_POLICY };
    triggers.push(sender.triggerUntilAccepted(incidentKey, fields));
    reportProgress(`${triggers.length} of ${size} emergencies opened`);
    await wait(Math.max(0, startedAt + triggers.length * OPEN_INTERVAL_MS - performance.now()));
  }
  await Promise.all(triggers);
}
