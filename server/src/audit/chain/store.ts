import type { Selectable } from "kysely";
import type { DatabaseContext } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { toMinId, parseIdTime } from "#ids.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import { toDay } from "../days.ts";
import { EVENT_COLUMNS, type RecordedEvent } from "../store.ts";

/**
 * A chained day, with the number and the digest of its events at the time of chaining. The table `audit_seal` has its
 * first name, from when a chained day was called sealed.
 */
export type ChainedDay = Selectable<Schema["audit_seal"]>;

const PAGE_EVENTS_MAX = 500;

/** Returns the latest chained day; null if there is none. */
export async function findLastChainedDay({
  database: { db },
}: DatabaseContext): Promise<ChainedDay | null> {
  const row = await db
    .selectFrom("audit_seal")
    .select(CHAINED_DAY_COLUMNS)
    .orderBy("day", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns all chained days, oldest first. */
export async function listChainedDays({
  database: { db },
}: DatabaseContext): Promise<readonly ChainedDay[]> {
  return db.selectFrom("audit_seal").select(CHAINED_DAY_COLUMNS).orderBy("day").execute();
}

/** Stores a chained day; returns false if another node stored it first. */
export async function insertChainedDay(
  { database: { db } }: DatabaseContext,
  chainedDay: ChainedDay,
): Promise<boolean> {
  const row = await db
    .insertInto("audit_seal")
    .values(chainedDay)
    .onConflict((conflict) => conflict.column("day").doNothing())
    .returning("day")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the day of the oldest event on or after `sinceDay`; null if there is none. */
export async function findFirstEventDay(
  { database: { db } }: DatabaseContext,
  sinceDay: number,
): Promise<number | null> {
  const row = await db
    .selectFrom("audit_event")
    .select("id")
    .where("id", ">=", toMinId(sinceDay * DAY_MS))
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toDay(parseIdTime(row.id));
}

/** Yields the events from `from` up to but not including `to`, oldest first. Reads page by page. */
export async function* readEventsBetween(
  { database: { db } }: DatabaseContext,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<RecordedEvent, void> {
  let after: string | null = null;
  for (;;) {
    const query = db
      .selectFrom("audit_event")
      .select(EVENT_COLUMNS)
      .where("id", "<", toMinId(to))
      .orderBy("id")
      .limit(PAGE_EVENTS_MAX);
    const minId: string = toMinId(from);
    const page: readonly RecordedEvent[] = await (
      after === null ? query.where("id", ">=", minId) : query.where("id", ">", after)
    ).execute();
    yield* page;
    const lastEvent = page.at(-1);
    if (lastEvent === undefined || page.length < PAGE_EVENTS_MAX) return;
    after = lastEvent.id;
  }
}

/** Yields the events of a day, oldest first. */
export function readEventsOfDay(
  context: DatabaseContext,
  day: number,
): AsyncGenerator<RecordedEvent, void> {
  return readEventsBetween(context, { from: day * DAY_MS, to: (day + 1) * DAY_MS });
}

const CHAINED_DAY_COLUMNS = ["day", "event_count", "digest", "sealed_at"] as const;
