import { setTimeout as wait } from "node:timers/promises";
import { findIncidentViolations } from "../support/find-incident-violations.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";
import type { DatabaseReader } from "./database-reader.ts";
import type { Findings } from "./findings.ts";
import type { CampaignPushService } from "./campaign-push-service.ts";

const POLL_INTERVAL_MS = 200;

interface EventRow {
  readonly incident_id: string;
  readonly kind: string;
  readonly detail: string;
}

interface NotificationRow {
  readonly id: string;
  readonly device_count: number | string | null;
}

/** Resolves with true once no timer and no job is left, or with false after `limitMs`. */
export async function waitUntilQuiet(reader: DatabaseReader, limitMs: number): Promise<boolean> {
  const readElapsedMs = startStealFreeTimer();
  while (readElapsedMs() < limitMs) {
    const [row] = await reader.query<{ count: number | string }>(
      "select (select count(*) from timer) + (select count(*) from send_job) as count",
    );
    if (Number(row?.count) === 0) return true;
    await wait(POLL_INTERVAL_MS);
  }
  return false;
}

/** The record of an incident: its key, how often it was triggered, and its history without pushes. */
export interface IncidentRecord {
  readonly id: string;
  readonly key: string;
  readonly occurrences: number;
  readonly history: readonly string[];
}

/** Returns the record of every incident. Adds the lateness of steps and rings to the findings. */
export async function readIncidentRecords(
  reader: DatabaseReader,
  findings: Findings,
): Promise<readonly IncidentRecord[]> {
  const rows = await reader.query<{
    id: string;
    incident_key: string;
    occurrences: number | string;
  }>("select id, incident_key, occurrences from incident order by id");
  const events = await reader.query<EventRow>(
    "select incident_id, kind, detail from incident_event where kind <> 'push' order by incident_id, id",
  );
  const histories = new Map<string, string[]>();
  for (const { incident_id: id, kind, detail } of events) {
    // The incidents room writes the column.
    const { step, round, lateMs } = JSON.parse(detail) as Readonly<Record<string, number>>;
    histories.set(id, [...(histories.get(id) ?? []), [kind, step ?? round ?? ""].join(" ").trim()]);
    // No timer fires the first step: it is taken together with the trigger.
    const isTimed = kind === "ring" || (kind === "step" && (step ?? 0) > 1);
    if (isTimed && lateMs !== undefined) findings.recordDuration(`${kind}s late`, lateMs);
  }
  return rows.map(({ id, incident_key: key, occurrences }) => ({
    id,
    key,
    occurrences: Number(occurrences),
    history: histories.get(id) ?? [],
  }));
}

/**
 * Verifies the invariants of incidents, that every device of every push has exactly one outcome, and that the push
 * service got at least as many pushes as there are outcomes `accepted`. Returns the number of devices for each other
 * outcome, by its state and code.
 */
export async function verifyIncidentPushes(
  reader: DatabaseReader,
  {
    pushService,
    findings,
  }: { readonly pushService: CampaignPushService; readonly findings: Findings },
): Promise<ReadonlyMap<string, number>> {
  for (const violation of await findIncidentViolations((sql) => reader.query(sql)))
    findings.expect(false, violation);
  const outcomes = await readOutcomes(reader);
  const notifications = await reader.query<NotificationRow>(
    "select id, device_count from notification where incident_id is not null",
  );
  let acceptedCount = 0;
  const otherOutcomes = new Map<string, number>();
  for (const { id, device_count: deviceCount } of notifications) {
    const results = outcomes.get(id) ?? [];
    findings.deliveryCount += Number(deviceCount);
    const devices = new Set(results.map(({ device }) => device));
    findings.lostCount += Math.max(0, Number(deviceCount) - devices.size);
    findings.expect(devices.size === results.length, "a device has two recorded outcomes");
    for (const { state, code } of results) {
      const outcome = `${state} ${code}`;
      if (state === "accepted") acceptedCount += 1;
      else otherOutcomes.set(outcome, (otherOutcomes.get(outcome) ?? 0) + 1);
    }
  }
  findings.expect(findings.lostCount === 0, `${findings.lostCount} devices have no outcome`);
  for (const [outcome, count] of otherOutcomes) findings.addNote(`${count} ended as ${outcome}`);
  const unsentCount = Math.max(0, acceptedCount - pushService.acceptedCount);
  findings.expect(unsentCount === 0, `${unsentCount} recorded as accepted were never sent`);
  findings.duplicateCount = Math.max(0, pushService.acceptedCount - acceptedCount);
  findings.expect(
    findings.duplicateCount <= findings.duplicatesMax,
    `${findings.duplicateCount} duplicates, above the limit of ${findings.duplicatesMax}`,
  );
  return otherOutcomes;
}

interface DeviceResult {
  readonly device: string | undefined;
  readonly state: string | undefined;
  readonly code: string | undefined;
}

/** Returns the recorded results of each notification's devices, by the notification's id. */
async function readOutcomes(
  reader: DatabaseReader,
): Promise<ReadonlyMap<string, readonly DeviceResult[]>> {
  const pages = await reader.query<{ notification_id: string; results: string }>(
    "select notification_id, results from delivery_page",
  );
  const outcomes = new Map<string, readonly DeviceResult[]>();
  for (const { notification_id: id, results } of pages) {
    // In each item that the server writes, state and code follow the device and its provider.
    const items = JSON.parse(results) as string[][];
    const pageResults = items.map(([device, , state, code]) => ({ device, state, code }));
    outcomes.set(id, [...(outcomes.get(id) ?? []), ...pageResults]);
  }
  return outcomes;
}
