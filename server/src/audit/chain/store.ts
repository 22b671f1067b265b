import type { Selectable } from "kysely";
import type { DatabaseContext } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { leastIdAt, timeOf } from "#ids.ts";
import { DAY_MS } from "#schema/moment.ts";
import { dayAt } from "../days.ts";
import { EVENT_COLUMNS, type RecordedEvent } from "../store.ts";

/** A chained day: number and digest of its events at that time. */
export type ChainedDay = Selectable<Schema["audit_seal"]>;

const PAGE_MAX = 500;

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

/** Returns the day of the oldest event on or after the day `since`; null if there is none. */
export async function findFirstDay(
  { database: { db } }: DatabaseContext,
  since: number,
): Promise<number | null> {
  const row = await db
    .selectFrom("audit_event")
    .select("id")
    .where("id", ">=", leastIdAt(since * DAY_MS))
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : dayAt(timeOf(row.id));
}

/** Yields the events from `from` up to but not including `to`, oldest first. Reads page by page. */
export async function* eventsBetween(
  { database: { db } }: DatabaseContext,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<RecordedEvent, void> {
  let after: string | null = null;
  for (;;) {
    const all = db
      .selectFrom("audit_event")
      .select(EVENT_COLUMNS)
      .where("id", "<", leastIdAt(to))
      .orderBy("id")
      .limit(PAGE_MAX);
    const first: string = leastIdAt(from);
    const page: readonly RecordedEvent[] = await (
      after === null ? all.where("id", ">=", first) : all.where("id", ">", after)
    ).execute();
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_MAX) return;
    after = last.id;
  }
}

/** Yields the events of a day, oldest first. */
export function eventsOfDay(
  context: DatabaseContext,
  day: number,
): AsyncGenerator<RecordedEvent, void> {
  return eventsBetween(context, { from: day * DAY_MS, to: (day + 1) * DAY_MS });
}

const CHAINED_DAY_COLUMNS = ["day", "event_count", "digest", "sealed_at"] as const;
