/** Runs a query, and returns its rows. */
export type ReadRows = <Row>(sql: string) => Promise<readonly Row[]>;

interface IncidentRow {
  readonly id: string;
  readonly state: string;
  readonly step: number | string;
  readonly expires_at: number | string | null;
  readonly policy: string | null;
}

interface EventRow {
  readonly incident_id: string;
  readonly kind: string;
  readonly notification_id: string | null;
  readonly detail: string;
}

/** Queries by the violation that they find. Each returns the rows that break the invariant. */
const ROW_INVARIANTS: Readonly<Record<string, string>> = {
  "a key has several open incidents": `select source_id from incident
    where closed_at is null group by source_id, key_hash having count(*) > 1`,
  "a subject has several timers of a kind": `select subject_id from timer
    group by subject_id, kind having count(*) > 1`,
  "a feed has several entries of an incident": `select incident_id from notification
    inner join feed_entry on feed_entry.notification_id = notification.id
    where incident_id is not null group by incident_id, feed_entry.audience_id having count(*) > 1`,
  "a feed that was told has no entry of the incident": `select incident_id from incident_audience
    where not exists (select 1 from notification
      inner join feed_entry on feed_entry.notification_id = notification.id
      where notification.incident_id = incident_audience.incident_id
        and feed_entry.audience_id = incident_audience.audience_id)`,
  "a push does not have exactly one event": `select id from notification
    where incident_id is not null and device_count > 0 and 1 <> (select count(*) from incident_event
      where incident_event.incident_id = notification.incident_id
        and incident_event.notification_id = notification.id and incident_event.kind = 'push')`,
  "an event names a notification that is not there": `select incident_id from incident_event
    where notification_id is not null and not exists (select 1 from notification
      where notification.id = incident_event.notification_id
        and notification.incident_id = incident_event.incident_id)`,
  "a timer has no incident": `select subject_id from timer
    where not exists (select 1 from incident where incident.id = timer.subject_id)`,
};

/**
 * Returns every violation of the invariants of incidents, as a sentence: the rows of `ROW_INVARIANTS`, the timers of
 * each state, and one event for each step in ascending order.
 */
export async function findIncidentViolations(read: ReadRows): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const [violation, sql] of Object.entries(ROW_INVARIANTS)) {
    const rows = await read(sql);
    if (rows.length > 0) violations.push(`${violation}: ${rows.length} times`);
  }
  const incidents = await read<IncidentRow>(
    "select id, state, step, expires_at, policy from incident order by id",
  );
  const events = await read<EventRow>(
    "select incident_id, kind, notification_id, detail from incident_event order by incident_id, id",
  );
  const timers = await read<{ readonly subject_id: string; readonly kind: string }>(
    "select subject_id, kind from timer",
  );
  for (const incident of incidents) {
    const kinds = timers.flatMap((row) => (row.subject_id === incident.id ? [row.kind] : []));
    const ownEvents = events.filter((row) => row.incident_id === incident.id);
    violations.push(...checkTimers(incident, kinds), ...checkSteps(incident, ownEvents));
  }
  return violations;
}

const RINGING_TIMERS: readonly string[] = ["ring", "step", "expire"];

function checkTimers({ state, step, expires_at, policy }: IncidentRow, kinds: readonly string[]) {
  const ringing = kinds.filter((kind) => RINGING_TIMERS.includes(kind));
  if (state !== "triggered" || expires_at === null)
    return ringing.length === 0
      ? []
      : [`an incident that is ${state} still has the timers ${ringing.join(" and ")}`];
  const violations: string[] = [];
  if (!kinds.includes("expire")) violations.push("an incident rings and does not expire");
  // The incidents room writes the column.
  const steps = policy === null ? [] : (JSON.parse(policy) as { steps: readonly unknown[] }).steps;
  if (Number(step) < steps.length && !kinds.includes("step"))
    violations.push("an incident rings and has a step left without a timer");
  return violations;
}

function checkSteps({ step }: IncidentRow, events: readonly EventRow[]): readonly string[] {
  const reached = events.flatMap(({ kind, detail }) =>
    // The incidents room writes the column.
    kind === "step" ? [(JSON.parse(detail) as { readonly step: number }).step] : [],
  );
  const expected = Array.from({ length: Number(step) }, (_, index) => index + 1);
  if (reached.join() === expected.join()) return [];
  return [`an incident at step ${step} has events of the steps ${reached.join(", ")}`];
}
