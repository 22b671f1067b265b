import { setTimeout as wait } from "node:timers/promises";
import { toTopic } from "#providers/webpush/payload.ts";
import { openDatabaseReader, type DatabaseReader } from "./database-reader.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";
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
  { load, pushService, location }: Site,
  findings: Findings,
  { failuresExpected = 0 }: { readonly failuresExpected?: number } = {},
): Promise<void> {
  await load.pause();
  const reader = await openDatabaseReader(location);
  try {
    await expectIdle(reader, findings);
    const notifications = await reader.query<NotificationRow>(
      "select id, title, device_count from notification",
    );
    verifyAccepted(load, notifications, findings);
    const pages = await reader.query<PageRow>("select notification_id, results from delivery_page");
    verifyDevices(notifications, parseOutcomes(pages), { pushService, findings, failuresExpected });
    await verifyFeed(reader, findings);
    if (location.kind === "sqlite") await checkIntegrity(reader, findings);
  } finally {
    await reader.close();
  }
  const { unexpectedResponses } = load;
  findings.expect(
    unexpectedResponses.length === 0,
    `${unexpectedResponses.length} unexpected responses: ${unexpectedResponses[0]}`,
  );
  const { refusalReasons } = pushService;
  findings.expect(
    refusalReasons.length === 0,
    `${refusalReasons.length} refused requests: ${refusalReasons[0]}`,
  );
  findings.expect(
    findings.duplicateCount <= findings.duplicatesMax,
    `${findings.duplicateCount} duplicates, above the limit of ${findings.duplicatesMax}`,
  );
}

/** Verifies that every notification is in a feed, and that every feed entry has its notification. */
async function verifyFeed(reader: DatabaseReader, findings: Findings): Promise<void> {
  const [counts] = await reader.query<Readonly<Record<"unlisted" | "orphaned", number | string>>>(
    `select
      (select count(*) from notification
        where not exists (select 1 from feed_entry where notification_id = notification.id)) as unlisted,
      (select count(*) from feed_entry
        where not exists (select 1 from notification where id = feed_entry.notification_id)) as orphaned`,
  );
  const unlisted = Number(counts?.unlisted);
  const orphaned = Number(counts?.orphaned);
  findings.expect(unlisted === 0, `${unlisted} notifications are in no feed`);
  findings.expect(orphaned === 0, `${orphaned} feed entries have no notification`);
}

/** Resolves with true once no job is left, or with false after `limitMs`. */
export async function waitUntilIdle(reader: DatabaseReader, limitMs: number): Promise<boolean> {
  const readElapsedMs = startStealFreeTimer();
  while (readElapsedMs() < limitMs) {
    const [row] = await reader.query<{ count: number | string }>(COUNT_JOBS);
    if (Number(row?.count) === 0) return true;
    await wait(POLL_INTERVAL_MS);
  }
  return false;
}

async function expectIdle(reader: DatabaseReader, findings: Findings): Promise<void> {
  if (await waitUntilIdle(reader, IDLE_MAX_MS)) return;
  const jobs = await reader.query<JobRow>("select pending, owner, run_at from send_job");
  const seconds = IDLE_MAX_MS / 1_000;
  findings.expect(false, `${jobs.length} jobs are left after ${seconds} s: ${describeJobs(jobs)}`);
}

/**
 * Verifies a backup taken under load: it is intact, contains every notification accepted before, and each of their
 * devices has an outcome or is still pending.
 */
export async function verifyBackup(
  reader: DatabaseReader,
  {
    acceptedBefore,
    findings,
  }: { readonly acceptedBefore: readonly string[]; readonly findings: Findings },
): Promise<void> {
  await checkIntegrity(reader, findings);
  const notifications = await reader.query<NotificationRow>(
    "select id, title, device_count from notification",
  );
  const ids = new Set(notifications.map(({ id }) => id));
  const missingIds = acceptedBefore.filter((id) => !ids.has(id));
  findings.lostCount += missingIds.length;
  findings.expect(
    missingIds.length === 0,
    `${missingIds.length} notifications are not in the backup`,
  );
  const outcomes = parseOutcomes(
    await reader.query<PageRow>("select notification_id, results from delivery_page"),
  );
  const jobs = await reader.query<PendingDevices>("select notification_id, pending from send_job");
  const getCount = (counts: ReadonlyMap<string, number>, id: string) => counts.get(id) ?? 0;
  const pending = new Map<string, number>();
  for (const { notification_id: id, pending: devices } of jobs) {
    // The server writes this column as a list with an item for each device.
    const { length } = JSON.parse(devices ?? "[]") as readonly unknown[];
    pending.set(id, getCount(pending, id) + length);
  }
  const incompleteNotifications = notifications.filter(
    ({ id, device_count }) =>
      (outcomes.get(id)?.size ?? 0) + getCount(pending, id) !== Number(device_count),
  );
  findings.lostCount += incompleteNotifications.length;
  findings.expect(
    incompleteNotifications.length === 0,
    `${incompleteNotifications.length} notifications in the backup lack some of their devices`,
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
function describeJobs(jobs: readonly JobRow[]): string {
  const reasons: Record<string, number> = {};
  for (const { pending } of jobs) {
    // The fourth field of each item that the server writes is the code, the fifth its detail.
    const devices = JSON.parse(pending ?? "[]") as readonly unknown[][];
    for (const [, , , code, detail] of devices) {
      const reason = `${String(code)} ${String(detail)}`;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
  }
  const leasedCount = jobs.filter(({ owner }) => owner !== "").length;
  const dueInS = jobs.map((row) => Math.round((Number(row.run_at) - Date.now()) / 1_000));
  const earliestS = Math.min(...dueInS);
  const latestS = Math.max(...dueInS);
  return `${JSON.stringify(reasons)}, ${leasedCount} leased, due in ${earliestS} to ${latestS} s`;
}

function verifyAccepted(
  load: Site["load"],
  stored: readonly NotificationRow[],
  findings: Findings,
): void {
  findings.acceptedCount = load.acceptedTitles.size;
  const ids = new Set(stored.map(({ id }) => id));
  const missingIds = [...load.acceptedTitles.keys()].filter((id) => !ids.has(id));
  findings.lostCount += missingIds.length;
  findings.expect(
    missingIds.length === 0,
    `${missingIds.length} accepted notifications are not stored`,
  );
  const countByTitle = new Map<string, number>();
  for (const { title } of stored) countByTitle.set(title, (countByTitle.get(title) ?? 0) + 1);
  const duplicatedTitles = [...countByTitle].filter(([, count]) => count > 1);
  findings.expect(
    duplicatedTitles.length === 0,
    `${duplicatedTitles.length} notifications are stored twice`,
  );
  const acceptedTitles = new Set(load.acceptedTitles.values());
  const neverAccepted = [...load.repeatedTitles].filter((title) => !acceptedTitles.has(title));
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
    // In each item that the server writes, state, code and detail follow the device and its provider.
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
    pushService,
    findings,
    failuresExpected,
  }: { pushService: Site["pushService"]; findings: Findings; failuresExpected: number },
): void {
  const problemCounts = { missing: 0, twice: 0, unsent: 0 };
  const failures: string[] = [];
  for (const { id, device_count: deviceCount } of stored) {
    const outcomesOfDevices = [...(outcomes.get(id)?.values() ?? [])];
    findings.deliveryCount += Number(deviceCount);
    problemCounts.missing += Math.max(0, Number(deviceCount) - outcomesOfDevices.length);
    problemCounts.twice += outcomesOfDevices.filter(({ count }) => count > 1).length;
    failures.push(...outcomesOfDevices.flatMap(({ failure }) => failure ?? []));
    const requestCounts = [...(pushService.messageCounts.get(toTopic(id))?.values() ?? [])];
    const acceptedCount = outcomesOfDevices.filter(({ failure }) => failure === null).length;
    problemCounts.unsent += Math.max(0, acceptedCount - requestCounts.length);
    findings.duplicateCount += requestCounts.reduce((sum, count) => sum + count - 1, 0);
  }
  findings.lostCount += problemCounts.missing;
  findings.expect(
    problemCounts.missing === 0,
    `${problemCounts.missing} devices have no recorded outcome`,
  );
  findings.expect(
    problemCounts.twice === 0,
    `${problemCounts.twice} devices have two recorded outcomes`,
  );
  findings.expect(
    failures.length === failuresExpected,
    `${failures.length} deliveries were not accepted: ${[...new Set(failures)].slice(0, 3).join("; ")}`,
  );
  findings.expect(
    problemCounts.unsent === 0,
    `${problemCounts.unsent} recorded as accepted were never sent`,
  );
}

async function checkIntegrity(reader: DatabaseReader, findings: Findings): Promise<void> {
  const [row] = await reader.query<{ integrity_check: string }>("pragma integrity_check");
  findings.expect(row?.integrity_check === "ok", `integrity check: ${row?.integrity_check}`);
}
