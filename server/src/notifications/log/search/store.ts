import { DELIVERY_STATE_GROUPS, type DeliveryStateGroup } from "@tocsin/sdk";
import { sql, type RawBuilder } from "kysely";
import type { Context } from "#context.ts";
import type { FinalState, NewNotification } from "#delivery/delivery.ts";
import {
  createCodePattern,
  createStatePattern,
  createPendingPattern,
  createResultPatterns,
} from "#delivery/store/column-patterns.ts";
import { toNotification } from "#delivery/store/rows.ts";
import type { Engine } from "#database/engine.ts";
import { toMinId } from "#ids.ts";

/** Conditions on sent notifications; null means any. */
export interface LogFilter {
  readonly stateFilter: DeliveryStateGroup | null;
  readonly channel: string | null;
  /** An id, or `none` for notifications sent without a key. */
  readonly keyId: string | null;
  readonly deviceId: string | null;
  /** The code of an ended delivery. */
  readonly code: string | null;
  readonly text: string | null;
  /** The range is `[fromAt, untilAt)`, in milliseconds since the epoch. */
  readonly fromAt: number | null;
  readonly untilAt: number | null;
}

/** A search of the notifications sent to some audiences. */
export interface LogSearchInput {
  readonly audienceIds: readonly string[];
  readonly filter: LogFilter;
  /** Only notifications older than this id; null starts with the newest. */
  readonly after: string | null;
  readonly limit: number;
}

/** The matches of a search, newest first. */
export interface LogSearchResult {
  readonly notifications: readonly NewNotification[];
  /** The id at which the search stopped early, without examining older notifications; null if it is complete. */
  readonly continueAfter: string | null;
}

/** Feed entries of one audience that a statement examines, so that it does not block others for long. */
const ENTRIES_PER_STEP = 5_000;
/** The maximum number of steps in one search. A step runs one such statement per audience. */
const STEPS_MAX = 5;
/** The maximum number of result pages that are searched per notification. */
const PAGES_PER_NOTIFICATION_MAX = 40;

/** Returns the newest notifications sent to the audiences that match a filter. */
export async function searchSentNotifications(
  context: Context,
  input: LogSearchInput,
): Promise<LogSearchResult> {
  const matches: NewNotification[] = [];
  let { after } = input;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const until = isAnsweredByIndex(input.filter)
      ? null
      : await findStepEnd(context, { ...input, after });
    const remaining = { ...input, after, limit: input.limit - matches.length };
    matches.push(...(await searchStep(context, remaining, until)));
    if (until === null || matches.length >= input.limit)
      return { notifications: matches, continueAfter: null };
    after = until;
  }
  return { notifications: matches, continueAfter: after };
}

/** Returns whether the feed's index is enough to answer the filter. */
function isAnsweredByIndex({ stateFilter, keyId, deviceId, code, text }: LogFilter): boolean {
  return [stateFilter, keyId, deviceId, code, text].every((condition) => condition === null);
}

/** Returns the id at which a step ends; null if it covers the rest. */
async function findStepEnd(
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
        .offset(ENTRIES_PER_STEP);
      const { channel } = filter;
      if (channel !== null) query = query.where("channel", "=", channel);
      for (const bound of createBounds(filter, after)) query = query.where(bound);
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
      for (const condition of [
        ...createBounds(filter, after),
        ...createConditions(engine, filter),
      ]) {
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
  return rows.map(toNotification).toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

function createBounds({ fromAt, untilAt }: LogFilter, after: string | null): RawBuilder<boolean>[] {
  const bounds: RawBuilder<boolean>[] = [];
  if (after !== null) bounds.push(sql`feed_entry.notification_id < ${after}`);
  if (fromAt !== null) bounds.push(sql`feed_entry.notification_id >= ${toMinId(fromAt)}`);
  if (untilAt !== null) bounds.push(sql`feed_entry.notification_id < ${toMinId(untilAt)}`);
  return bounds;
}

function createConditions(
  { contains }: Engine,
  { keyId, text, stateFilter, deviceId, code }: LogFilter,
): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (keyId === "none") conditions.push(sql`notification.key_id is null`);
  else if (keyId !== null) conditions.push(sql`notification.key_id = ${keyId}`);
  if (text !== null) {
    const title = sql.ref<string>("notification.title");
    const body = sql.ref<string>("notification.body");
    conditions.push(sql`(${contains(title, text)} or ${contains(body, text)})`);
  }
  if (stateFilter !== null || deviceId !== null)
    conditions.push(hasDelivery(stateFilter, deviceId));
  if (code !== null) conditions.push(hasEndedWithCode(stateFilter, code));
  return conditions;
}

/** Matches notifications with a delivery of this result on this device; null means any. */
function hasDelivery(
  stateFilter: DeliveryStateGroup | null,
  deviceId: string | null,
): RawBuilder<boolean> {
  const alternatives: RawBuilder<boolean>[] = [];
  if (stateFilter === null || stateFilter === "waiting")
    alternatives.push(hasUnfinishedDelivery(deviceId));
  if (stateFilter !== "waiting") alternatives.push(hasEndedDelivery(stateFilter, deviceId));
  return sql`(${sql.join(alternatives, sql` or `)})`;
}

/** Matches notifications with a delivery that ended with this code and result; a null result means any. */
function hasEndedWithCode(
  stateFilter: DeliveryStateGroup | null,
  code: string,
): RawBuilder<boolean> {
  // A waiting delivery has not ended.
  if (stateFilter === "waiting") return sql`false`;
  const { delivered, failed, skipped } = DELIVERY_STATE_GROUPS;
  const states =
    stateFilter === null
      ? [...delivered, ...failed, ...skipped]
      : DELIVERY_STATE_GROUPS[stateFilter];
  return createPageExistsCondition(
    sql`results`,
    states.map((state) => sql`results like ${createCodePattern(state, code)} escape '\\'`),
  );
}

function hasUnfinishedDelivery(deviceId: string | null): RawBuilder<boolean> {
  const onDevice =
    deviceId === null ? sql`` : sql` and pending like ${createPendingPattern(deviceId)}`;
  return sql`exists (select 1 from send_job where notification_id = notification.id${onDevice})`;
}

function hasEndedDelivery(
  stateFilter: Exclude<DeliveryStateGroup, "waiting"> | null,
  deviceId: string | null,
) {
  const states: readonly (FinalState | null)[] =
    stateFilter === null ? [null] : DELIVERY_STATE_GROUPS[stateFilter];
  const conditions = states.flatMap((state) => {
    if (deviceId !== null) {
      return createResultPatterns(deviceId, state).map((pattern) => sql`results like ${pattern}`);
    }
    return state === null ? [] : [sql`counts like ${createStatePattern(state)}`];
  });
  return createPageExistsCondition(deviceId === null ? sql`counts` : sql`results`, conditions);
}

function createPageExistsCondition(
  column: RawBuilder<unknown>,
  conditions: readonly RawBuilder<unknown>[],
) {
  return sql<boolean>`exists (select 1 from (select ${column} from delivery_page
    where notification_id = notification.id limit ${sql.lit(PAGES_PER_NOTIFICATION_MAX)}) page
    where ${sql.join(conditions, sql` or `)})`;
}
