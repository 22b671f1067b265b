import { setTimeout as wait } from "node:timers/promises";
import { topicOf } from "#providers/webpush/payload.ts";
import { openDatabaseReader, type DatabaseReader } from "./database-reader.ts";
import { startOwnTime } from "../support/own-time.ts";
import type { Findings } from "./findings.ts";
import type { Site } from "./site.ts";

/** Covers the retries of a service that was down: after 30 seconds, and a minute later again. */
const IDLE_MAX_MS = 180_000;
const POLL_INTERVAL_MS = 100;

interface NotificationRow {
  readonly id: string;
  readonly title: string;
  readonly device_count: number | string | null;
}

interface PageRow {
  readonly notification_id: string;
  readonly results: string;
}

/**
 * Waits until no job is left, then verifies that every accepted notification is stored, every device has exactly one
 * outcome, and every device with a successful outcome was really sent to.
 */
export async function verifyDeliveries(
  { load, receiver, place }: Site,
  findings: Findings,
  { failuresExpected = 0 }: { readonly failuresExpected?: number } = {},
): Promise<void> {
  await load.pause();
  const reader = await openDatabaseReader(place);
  try {
    await requireIdle(reader, findings);
    const stored = await reader.rows<NotificationRow>(
      "select id, title, device_count from notification",
    );
    verifyAccepted(load, stored, findings);
    const pages = await reader.rows<PageRow>("select notification_id, results from delivery_page");
    verifyDevices(stored, parseOutcomes(pages), { receiver, findings, failuresExpected });
    const [entries] = await reader.rows<{ count: number }>(
      `select count(*) as count from notification
        where not exists (select 1 from feed_entry where notification_id = notification.id)`,
    );
    findings.expect(Number(entries?.count) === 0, `${entries?.count} notifications are in no feed`);
    if (place.kind === "sqlite") await checkFile(reader, findings);
  } finally {
    await reader.close();
  }
  const { unexpectedResponses } = load;
  findings.expect(
    unexpectedResponses.length === 0,
    `${unexpectedResponses.length} unexpected responses: ${unexpectedResponses[0]}`,
  );
  const { refused } = receiver;
  findings.expect(refused.length === 0, `${refused.length} refused requests: ${refused[0]}`);
  findings.expect(
    findings.duplicates <= findings.duplicatesMax,
    `${findings.duplicates} duplicates, above the limit of ${findings.duplicatesMax}`,
  );
}

/** Resolves with true once no job is left, or with false after `limitMs`. */
export async function waitUntilIdle(reader: DatabaseReader, limitMs: number): Promise<boolean> {
  const ownMs = startOwnTime();
  while (ownMs() < limitMs) {
    const [row] = await reader.rows<{ count: number | string }>(COUNT_JOBS);
    if (Number(row?.count) === 0) return true;
    await wait(POLL_INTERVAL_MS);
  }
  return false;
}

async function requireIdle(reader: DatabaseReader, findings: Findings): Promise<void> {
  if (await waitUntilIdle(reader, IDLE_MAX_MS)) return;
  const jobs = await reader.rows<JobRow>("select pending, owner, run_at from send_job");
  const seconds = IDLE_MAX_MS / 1_000;
  findings.expect(false, `${jobs.length} jobs are left after ${seconds} s: ${describe(jobs)}`);
}

/**
 * Verifies a backup taken under load: it is intact, contains every notification accepted `before`, and each of their devices
 * has an outcome or is still pending.
 */
export async function verifyBackup(
  reader: DatabaseReader,
  { before, findings }: { readonly before: readonly string[]; readonly findings: Findings },
): Promise<void> {
  await checkFile(reader, findings);
  const stored = await reader.rows<NotificationRow>(
    "select id, title, device_count from notification",
  );
  const ids = new Set(stored.map(({ id }) => id));
  const missing = before.filter((id) => !ids.has(id));
  findings.lost += missing.length;
  findings.expect(missing.length === 0, `${missing.length} notifications are not in the backup`);
  const outcomes = parseOutcomes(
    await reader.rows<PageRow>("select notification_id, results from delivery_page"),
  );
  const jobs = await reader.rows<PendingDevices>("select notification_id, pending from send_job");
  const count = (counts: ReadonlyMap<string, number>, id: string) => counts.get(id) ?? 0;
  const pending = new Map<string, number>();
  for (const { notification_id: id, pending: devices } of jobs) {
    // Only pendingText writes this column.
    const { length } = JSON.parse(devices ?? "[]") as readonly unknown[];
    pending.set(id, count(pending, id) + length);
  }
  const incomplete = stored.filter(
    ({ id, device_count }) =>
      (outcomes.get(id)?.size ?? 0) + count(pending, id) !== Number(device_count),
  );
  findings.lost += incomplete.length;
  findings.expect(
    incomplete.length === 0,
    `${incomplete.length} are in the backup without their devices`,
  );
}

interface PendingDevices {
  readonly notification_id: string;
  readonly pending: string | null;
}

interface JobRow {
  readonly pending: string | null;
  readonly owner: string;
  readonly run_at: number | string;
}

const COUNT_JOBS = "select count(*) as count from send_job";

/** Describes how many devices wait for which reason, and when their jobs are due. */
function describe(jobs: readonly JobRow[]): string {
  const reasons: Record<string, number> = {};
  for (const { pending } of jobs) {
    // Only pendingText writes this column: the fourth item is the code, the fifth its detail.
    const devices = JSON.parse(pending ?? "[]") as readonly unknown[][];
    for (const [, , , code, detail] of devices) {
      const reason = `${String(code)} ${String(detail)}`;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
  }
  const leasedCount = jobs.filter(({ owner }) => owner !== "").length;
  const dueInS = jobs.map((row) => Math.round((Number(row.run_at) - Date.now()) / 1_000));
  const [earliestS, latestS] = [Math.min(...dueInS), Math.max(...dueInS)];
  return `${JSON.stringify(reasons)}, ${leasedCount} leased, due in ${earliestS} to ${latestS} s`;
}

function verifyAccepted(
  load: Site["load"],
  stored: readonly NotificationRow[],
  findings: Findings,
): void {
  findings.accepted = load.accepted.size;
  const ids = new Set(stored.map(({ id }) => id));
  const missing = [...load.accepted.keys()].filter((id) => !ids.has(id));
  findings.lost += missing.length;
  findings.expect(missing.length === 0, `${missing.length} accepted notifications are not stored`);
  const titles = new Map<string, number>();
  for (const { title } of stored) titles.set(title, (titles.get(title) ?? 0) + 1);
  const twice = [...titles].filter(([, count]) => count > 1);
  findings.expect(twice.length === 0, `${twice.length} notifications are stored twice`);
  const acceptedTitles = new Set(load.accepted.values());
  const neverAccepted = [...load.repeated].filter((title) => !acceptedTitles.has(title));
  findings.expect(
    neverAccepted.length === 0,
    `${neverAccepted.length} repeated requests were never accepted`,
  );
}

/** Number of recorded outcomes of a device, and a description of the last one unless it is a success. */
interface DeviceOutcome {
  readonly count: number;
  readonly failure: string | null;
}

/** Outcomes by notification id and device id. */
type Outcomes = ReadonlyMap<string, ReadonlyMap<string, DeviceOutcome>>;

function parseOutcomes(pages: readonly PageRow[]): Outcomes {
  const outcomes = new Map<string, Map<string, DeviceOutcome>>();
  for (const { notification_id: id, results } of pages) {
    const devices = outcomes.get(id) ?? new Map<string, DeviceOutcome>();
    outcomes.set(id, devices);
    // Only resultsText writes this column: state, code and detail.
    for (const [device, , state, code, detail] of JSON.parse(results) as readonly string[][]) {
      if (device === undefined) continue;
      const count = (devices.get(device)?.count ?? 0) + 1;
      const failure = state === "accepted" ? null : `${state} ${code} ${detail}`;
      devices.set(device, { count, failure });
    }
  }
  return outcomes;
}

function verifyDevices(
  stored: readonly NotificationRow[],
  outcomes: Outcomes,
  {
    receiver,
    findings,
    failuresExpected,
  }: { receiver: Site["receiver"]; findings: Findings; failuresExpected: number },
): void {
  const incomplete = { missing: 0, twice: 0, unsent: 0 };
  const failures: string[] = [];
  for (const { id, device_count: devices } of stored) {
    const recorded = [...(outcomes.get(id)?.values() ?? [])];
    findings.deliveries += Number(devices);
    incomplete.missing += Math.max(0, Number(devices) - recorded.length);
    incomplete.twice += recorded.filter(({ count }) => count > 1).length;
    failures.push(...recorded.flatMap(({ failure }) => failure ?? []));
    const received = [...(receiver.received.get(topicOf(id))?.values() ?? [])];
    const accepted = recorded.filter(({ failure }) => failure === null).length;
    incomplete.unsent += Math.max(0, accepted - received.length);
    findings.duplicates += received.reduce((sum, count) => sum + count - 1, 0);
  }
  findings.lost += incomplete.missing;
  findings.expect(
    incomplete.missing === 0,
    `${incomplete.missing} devices have no recorded outcome`,
  );
  findings.expect(incomplete.twice === 0, `${incomplete.twice} devices have two recorded outcomes`);
  findings.expect(
    failures.length === failuresExpected,
    `${failures.length} deliveries were not accepted: ${[...new Set(failures)].slice(0, 3).join("; ")}`,
  );
  findings.expect(
    incomplete.unsent === 0,
    `${incomplete.unsent} recorded as accepted were never sent`,
  );
}

async function checkFile(reader: DatabaseReader, findings: Findings): Promise<void> {
  const [row] = await reader.rows<{ integrity_check: string }>("pragma integrity_check");
  findings.expect(row?.integrity_check === "ok", `integrity check: ${row?.integrity_check}`);
}
