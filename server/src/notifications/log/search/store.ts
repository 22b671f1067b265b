import { DELIVERY_FATES, type DeliveryFate } from "@tocsin/sdk";
import { sql, type RawBuilder } from "kysely";
import type { Context } from "#context.ts";
import type { FinalState, NewNotification } from "#delivery/delivery.ts";
import {
  codePattern,
  countedPattern,
  notificationOf,
  pendingPattern,
  resultPatterns,
} from "#delivery/store/rows.ts";
import type { Engine } from "#database/engine.ts";
import { leastIdAt } from "#ids.ts";

/** Conditions on sent notifications; null means any. */
export interface LogFilter {
  readonly fate: DeliveryFate | null;
  readonly channel: string | null;
  /** An id, or `none` for notifications sent without a key. */
  readonly keyId: string | null;
  readonly deviceId: string | null;
  /** The code of an ended delivery. */
  readonly code: string | null;
  readonly text: string | null;
  /** In `[from, to)`, milliseconds since the epoch. */
  readonly from: number | null;
  readonly to: number | null;
}

export interface LogSearchInput {
  readonly audienceIds: readonly string[];
  readonly filter: LogFilter;
  /** Only notifications older than this id; null starts with the newest. */
  readonly after: string | null;
  readonly limit: number;
}

export interface LogSearchResult {
  readonly notifications: readonly NewNotification[];
  /** The id at which the search stopped early; older notifications were not examined. Null if the search is complete. */
  readonly brokenOffAt: string | null;
}

/** Notifications examined in one statement, so that none blocks the others for long, … */
const STEP = 5_000;
/** … and the maximum number of such statements in one search. */
const STEPS_MAX = 5;
/** The maximum number of result pages that are searched per notification. */
const PAGES_MAX = 40;

/** Returns the newest notifications sent to the audiences that match a filter. */
export async function searchSent(
  context: Context,
  input: LogSearchInput,
): Promise<LogSearchResult> {
  const found: NewNotification[] = [];
  let { after } = input;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const until = isIndexed(input.filter) ? null : await stepEnd(context, { ...input, after });
    const rest = { ...input, after, limit: input.limit - found.length };
    found.push(...(await searchStep(context, rest, until)));
    if (until === null || found.length >= input.limit)
      return { notifications: found, brokenOffAt: null };
    after = until;
  }
  return { notifications: found, brokenOffAt: after };
}

/** Returns whether the feed's index is enough to answer the filter. */
function isIndexed({ fate, keyId, deviceId, code, text }: LogFilter): boolean {
  return [fate, keyId, deviceId, code, text].every((condition) => condition === null);
}

/** Returns the id at which a step ends; null if it covers the rest. */
async function stepEnd(
  { database: { db } }: Context,
  { audienceIds, filter, after }: LogSearchInput,
): Promise<string | null> {
  const ends = await Promise.all(
    audienceIds.map((audienceId) => {
      let query = db
        .selectFrom("feed_entry")
        .select("notification_id as id")
        .where("audience_id", "=", audienceId)
        .orderBy("notification_id", "desc")
        .limit(1)
        .offset(STEP);
      const { channel } = filter;
      if (channel !== null) query = query.where("channel", "=", channel);
      for (const bound of boundsOf(filter, after)) query = query.where(bound);
      return query.executeTakeFirst();
    }),
  );
  return ends.reduce<string | null>((end, row) => {
    return row !== undefined && (end === null || row.id > end) ? row.id : end;
  }, null);
}

async function searchStep(
  { database: { db, engine } }: Context,
  { audienceIds, filter, after, limit }: LogSearchInput,
  until: string | null,
): Promise<readonly NewNotification[]> {
  const perAudience = await Promise.all(
    audienceIds.map((audienceId) => {
      let query = db
        .selectFrom("feed_entry")
        .innerJoin("notification", "notification.id", "feed_entry.notification_id")
        .select("feed_entry.notification_id as id")
        .where("feed_entry.audience_id", "=", audienceId)
        .orderBy("feed_entry.notification_id", "desc")
        .limit(limit);
      const { channel } = filter;
      if (channel !== null) query = query.where("feed_entry.channel", "=", channel);
      if (until !== null) query = query.where("feed_entry.notification_id", ">=", until);
      for (const condition of [...boundsOf(filter, after), ...conditionsOf(engine, filter)]) {
        query = query.where(condition);
      }
      return query.execute();
    }),
  );
  const ids = perAudience
    .flat()
    .map(({ id }) => id)
    .toSorted((one, other) => (one < other ? 1 : -1))
    .slice(0, limit);
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("notification").selectAll().where("id", "in", ids).execute();
  return rows.map(notificationOf).toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

function boundsOf({ from, to }: LogFilter, after: string | null): RawBuilder<boolean>[] {
  const bounds: RawBuilder<boolean>[] = [];
  if (after !== null) bounds.push(sql`feed_entry.notification_id < ${after}`);
  if (from !== null) bounds.push(sql`feed_entry.notification_id >= ${leastIdAt(from)}`);
  if (to !== null) bounds.push(sql`feed_entry.notification_id < ${leastIdAt(to)}`);
  return bounds;
}

function conditionsOf(
  { contains }: Engine,
  { keyId, text, fate, deviceId, code }: LogFilter,
): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (keyId === "none") conditions.push(sql`notification.key_id is null`);
  else if (keyId !== null) conditions.push(sql`notification.key_id = ${keyId}`);
  if (text !== null) {
    const [title, body] = [
      sql.ref<string>("notification.title"),
      sql.ref<string>("notification.body"),
    ];
    conditions.push(sql`(${contains(title, text)} or ${contains(body, text)})`);
  }
  if (fate !== null || deviceId !== null) conditions.push(hasOutcome(fate, deviceId));
  if (code !== null) conditions.push(endedBy(fate, code));
  return conditions;
}

/** Matches a delivery with this outcome, and on this device if one is given. */
function hasOutcome(fate: DeliveryFate | null, deviceId: string | null): RawBuilder<boolean> {
  const alternatives: RawBuilder<boolean>[] = [];
  if (fate === null || fate === "waiting") alternatives.push(isOwed(deviceId));
  if (fate !== "waiting") alternatives.push(isRecorded(fate, deviceId));
  return sql`(${sql.join(alternatives, sql` or `)})`;
}

/** Matches a delivery that ended with this code, and with this outcome if one is given. */
function endedBy(fate: DeliveryFate | null, code: string): RawBuilder<boolean> {
  // A waiting delivery has not ended.
  if (fate === "waiting") return sql`false`;
  const { delivered, failed, skipped } = DELIVERY_FATES;
  const states = fate === null ? [...delivered, ...failed, ...skipped] : DELIVERY_FATES[fate];
  return pageWhere(
    sql`results`,
    states.map((state) => sql`results like ${codePattern(state, code)} escape '\\'`),
  );
}

function isOwed(deviceId: string | null): RawBuilder<boolean> {
  const onDevice = deviceId === null ? sql`` : sql` and pending like ${pendingPattern(deviceId)}`;
  return sql`exists (select 1 from send_job where notification_id = notification.id${onDevice})`;
}

function isRecorded(fate: Exclude<DeliveryFate, "waiting"> | null, deviceId: string | null) {
  const states: readonly (FinalState | null)[] = fate === null ? [null] : DELIVERY_FATES[fate];
  const likes = states.flatMap((state) => {
    if (deviceId !== null) {
      return resultPatterns(deviceId, state).map((pattern) => sql`results like ${pattern}`);
    }
    return state === null ? [] : [sql`counts like ${countedPattern(state)}`];
  });
  return pageWhere(deviceId === null ? sql`counts` : sql`results`, likes);
}

function pageWhere(column: RawBuilder<unknown>, conditions: readonly RawBuilder<unknown>[]) {
  return sql<boolean>`exists (select 1 from (select ${column} from delivery_page
    where notification_id = notification.id limit ${sql.lit(PAGES_MAX)}) page
    where ${sql.join(conditions, sql` or `)})`;
}
