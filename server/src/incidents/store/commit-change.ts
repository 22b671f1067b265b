import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { InDoubtError } from "#database/in-doubt-error.ts";
import { castValue, insertUnderQuery, type Condition } from "#database/insert-under.ts";
import { createMaybeStoredError } from "#delivery/accept/accept-errors.ts";
import type { KeyReservation } from "#delivery/store/reserve-idempotency-key.ts";
import type { PreparedAccept } from "#delivery/accept/prepare-accept.ts";
import { removeFromFeedQuery } from "#notifications/feed/store.ts";
import {
  isUnchangedSinceFired,
  removeTimerQuery,
  removeTimersQuery,
  setTimerQuery,
} from "#timers/store.ts";
import type { Timer } from "#timers/timer.ts";
import type { IncidentTimerKind } from "../decision.ts";
import type { Incident } from "../incident.ts";
import type { ChangePlan } from "../plan-change.ts";
import { insertEntryQuery, type NewEntry } from "./events.ts";
import type { OpenLimit } from "./open-limit.ts";
import type { AlarmMails } from "./outgoing.ts";
import { toAudienceColumns, toIncidentColumns } from "./rows.ts";

/** A change to store. */
export interface IncidentChange {
  /** The incident as it was read; null if the change opens it. */
  readonly previous: Incident | null;
  readonly incident: Incident;
  /** Names this attempt at a change; never reused. */
  readonly changeId: string;
  readonly plan: Pick<ChangePlan, "newAudiences" | "feedLines" | "entries">;
  /** The emails of the change. */
  readonly mails: Pick<AlarmMails, "counts" | "entries">;
  readonly accepts: readonly PreparedAccept[];
  readonly timers: ReadonlyMap<IncidentTimerKind, number | null>;
  /** The timer that caused the change; null if none did. */
  readonly firedTimer: Timer | null;
  /** The reservation of an idempotency key, on which the whole change depends; null if there is none. */
  readonly reservation: KeyReservation | null;
  /** The limit of open incidents, on which the whole change depends; null if there is none. */
  readonly openLimit: OpenLimit | null;
  /** Statements of other rooms, each of which depends on `createChangeCondition`. */
  readonly furtherStatements: readonly Compilable[];
}

/**
 * Returns the condition that an incident's row was written by the change `changeId`. Versions would not do: on
 * PostgreSQL, the later statements of a change that lost see the row of the one that won, which has that version too.
 */
export function createChangeCondition(incidentId: string, changeId: string): Condition {
  return sql<boolean>`exists (
    select 1 from incident where id = ${incidentId} and change_id = ${changeId})`;
}

/**
 * Stores a change with all its consequences, or nothing if another change came first; returns whether it is stored.
 * Throws `unavailable` if this stays unknown.
 */
export async function commitChange(context: Context, change: IncidentChange): Promise<boolean> {
  const { database } = context;
  const { reservation, openLimit, incident, changeId } = change;
  const changeCondition = createChangeCondition(incident.id, changeId);
  const entries = [
    ...change.plan.entries.map((entry) => ({ entry, condition: changeCondition })),
    ...change.mails.entries,
  ].map((one) => ({ ...one, id: context.newId() }));
  const entryId = entries[0]?.id ?? null;
  const verdict = selectVerdict(context, { incidentId: incident.id, changeId, entryId });
  const statements = [
    ...(openLimit?.statements ?? []),
    ...(reservation?.statements ?? []),
    writeIncidentQuery(context, change),
    ...change.mails.counts,
    ...createConsequences(context, { ...change, entries }, changeCondition),
    ...(reservation === null ? [] : [reservation.releaseUnless(changeCondition)]),
    verdict,
  ];
  try {
    const results = await database.atomically(statements);
    return isStored(results.at(-1)?.rows);
  } catch (error) {
    if (!(error instanceof InDoubtError)) throw error;
    return isStored(await readAfterDoubt(error, verdict));
  }
}

/** Makes the next step of an incident due now, unless the incident changed since it was read. */
export async function makeStepDue(
  context: Context,
  { id, version }: Pick<Incident, "id" | "version">,
): Promise<void> {
  const isUnchanged = sql<boolean>`exists (
    select 1 from incident where id = ${id} and version = ${version})`;
  const timer = { kind: "step", subjectId: id, runAt: context.now() } as const;
  await context.database.atomically([setTimerQuery(context, timer, isUnchanged)]);
}

/** Removes a timer that fired without a change. */
export async function removeFiredTimer(context: Context, timer: Timer): Promise<void> {
  await context.database.atomically([removeTimerQuery(context, timer)]);
}

/** Maximum number of attempts to find out whether a change is stored. */
const DOUBT_ATTEMPTS_MAX = 6;
/** The time between two of these attempts. */
const DOUBT_DELAY_MS = 250;

async function readAfterDoubt(
  error: InDoubtError,
  verdict: Compilable,
): Promise<readonly unknown[] | undefined> {
  for (let attempt = 1; attempt <= DOUBT_ATTEMPTS_MAX; attempt += 1) {
    try {
      const [result] = await error.settleAndRead([verdict]);
      return result?.rows;
    } catch {
      await wait(DOUBT_DELAY_MS);
    }
  }
  throw createMaybeStoredError(error);
}

/**
 * Returns the query that has a row if a change is stored. After a commit in doubt, another process may have changed the
 * incident already, but nobody removes the entries of its history. A change without an entry only counts or moves a
 * timer: if it was overwritten, it is made again.
 */
function selectVerdict(
  { database: { db } }: Context,
  {
    incidentId,
    changeId,
    entryId,
  }: {
    readonly incidentId: string;
    readonly changeId: string;
    readonly entryId: string | null;
  },
): Compilable {
  if (entryId !== null)
    return db
      .selectFrom("incident_event")
      .select("id")
      .where("incident_id", "=", incidentId)
      .where("id", "=", entryId);
  return db
    .selectFrom("incident")
    .select("id")
    .where("id", "=", incidentId)
    .where("change_id", "=", changeId);
}

function isStored(rows: readonly unknown[] | undefined): boolean {
  return (rows ?? []).length > 0;
}

/**
 * Returns the query that inserts a new incident, unless its source has an open one with the same key, or that updates an
 * incident, unless another change came first.
 */
function writeIncidentQuery(
  { database: { db } }: Context,
  { previous, incident, changeId, reservation, openLimit, firedTimer }: IncidentChange,
): Compilable {
  const row = { ...toIncidentColumns(incident), change_id: changeId };
  const conditions = [
    reservation?.condition ?? sql<boolean>`true`,
    openLimit?.condition ?? sql<boolean>`true`,
    // Another process may have fired the same timer before the incident was read. The version alone would not
    // show this.
    firedTimer === null ? sql<boolean>`true` : isUnchangedSinceFired(firedTimer),
  ];
  const condition = sql<boolean>`${sql.join(conditions, sql` and `)}`;
  if (previous === null) {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    const values = sql.join(Object.values(row).map(castValue));
    const statement = sql`insert into incident (${columns}) select ${values} where ${condition}
      on conflict do nothing`;
    return { compile: () => statement.compile(db) };
  }
  return db
    .updateTable("incident")
    .set(row)
    .where("id", "=", incident.id)
    .where("version", "=", previous.version)
    .where(condition);
}

function createConsequences(
  context: Context,
  change: IncidentChange & { readonly entries: readonly NewEntry[] },
  changeCondition: Condition,
): readonly Compilable[] {
  const { plan, accepts, incident, previous, furtherStatements, entries } = change;
  const { db } = context.database;
  return [
    ...createFeedStatements(context, change, changeCondition),
    ...plan.newAudiences.map(({ id, audience, step, reach, feedNotificationId }) =>
      insertUnderQuery(
        db,
        {
          table: "incident_audience",
          row: {
            incident_id: incident.id,
            id,
            step,
            reach,
            ...toAudienceColumns(audience),
            feed_notification_id: feedNotificationId,
            closed_at: incident.closing?.at ?? null,
          },
        },
        changeCondition,
      ),
    ),
    ...(incident.closing === null || previous?.closing !== null
      ? []
      : [closeAudiencesQuery(context, incident, changeCondition)]),
    ...entries.map((entry) => insertEntryQuery(context, incident.id, entry)),
    ...accepts.flatMap(({ statements }) => statements),
    ...createTimerStatements(context, change, changeCondition),
    ...furtherStatements,
  ];
}

/** Takes the earlier lines of the incident out of the feeds, and stores the ids of the new ones. */
function createFeedStatements(
  context: Context,
  { incident, plan }: IncidentChange,
  changeCondition: Condition,
): readonly Compilable[] {
  return plan.feedLines.flatMap(({ feedId, notificationId, replacedId }) => {
    if (replacedId === null) return [];
    return [
      removeFromFeedQuery(context, { audienceId: feedId, ids: [replacedId] }).where(
        changeCondition,
      ),
      context.database.db
        .updateTable("incident_audience")
        .set({ feed_notification_id: notificationId })
        .where("incident_id", "=", incident.id)
        .where("audience_id", "=", feedId)
        .where(changeCondition),
    ];
  });
}

function closeAudiencesQuery(
  { database: { db } }: Context,
  { id, closing }: Incident,
  changeCondition: Condition,
): Compilable {
  return db
    .updateTable("incident_audience")
    .set({ closed_at: closing?.at ?? null })
    .where("incident_id", "=", id)
    .where(changeCondition);
}

/** Sets and removes timers. Removes the timer that fired unless the change sets it again. */
function createTimerStatements(
  context: Context,
  { incident, timers, firedTimer }: IncidentChange,
  changeCondition: Condition,
): readonly Compilable[] {
  const subjectId = incident.id;
  const removedKinds = [...timers].flatMap(([kind, at]) => (at === null ? [kind] : []));
  const statements = [...timers].flatMap(([kind, runAt]) =>
    runAt === null ? [] : [setTimerQuery(context, { kind, subjectId, runAt }, changeCondition)],
  );
  if (removedKinds.length > 0)
    statements.push(
      removeTimersQuery(context, { subjectId, kinds: removedKinds }, changeCondition),
    );
  const isReplaced =
    firedTimer !== null && [...timers.keys()].some((kind) => kind === firedTimer.kind);
  if (firedTimer !== null && !isReplaced)
    statements.push(removeTimerQuery(context, firedTimer, changeCondition));
  return statements;
}
