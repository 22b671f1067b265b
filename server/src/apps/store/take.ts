import { sql, type RawBuilder } from "kysely";
import type { Context } from "#context.ts";
import { castToBigint, castToText } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import { KEPT_PREFIX } from "#delivery/delivery.ts";
import { endWaitsQueries } from "#delivery/store/waiting.ts";
import type { Proof } from "../app.ts";

/** The proof that an app has a message. */
export interface Take {
  readonly deviceId: string;
  readonly number: number;
  readonly how: Proof;
}

/** A message for which a proof was recorded. */
export interface TakenMessage extends Take {
  readonly notificationId: string;
}

/** The recorded proofs, and whether they made jobs due. */
export interface TakeResult {
  readonly taken: readonly TakenMessage[];
  readonly hasDueJobs: boolean;
}

/**
 * Records proofs, and makes the jobs due that wait for these apps, in one commit. A proof replaces `written`, the weakest one,
 * and no other. Returns the messages whose proof is new.
 */
export async function takeMessages(context: Context, takes: readonly Take[]): Promise<TakeResult> {
  if (takes.length === 0) return { taken: [], hasDueJobs: false };
  const updates = [...Map.groupBy(takes, ({ how }) => how)].map(([how, group]) =>
    updateQuery(context, how, sql`(device_id, number) in (values ${sql.join(group.map(toKey))})`),
  );
  return commitTakes(context, {
    lock: lockQuery(context, takes),
    updates,
    deviceIds: takes.map(({ deviceId }) => deviceId),
  });
}

/** The messages of an app up to a number, in the channels that it listens to; null for all. */
export interface TakeUpToInput {
  readonly deviceId: string;
  readonly number: number;
  readonly channels: readonly string[] | null;
  /** True if the app left some of them out, so that only those that it was given are proven. */
  readonly isFiltered: boolean;
}

/**
 * Records that an app went on after a message: it has those before it, too. An expired message that it was never given stays
 * without a proof.
 */
export function takeUpTo(
  context: Context,
  { deviceId, number, channels, isFiltered }: TakeUpToInput,
): Promise<TakeResult> {
  const inChannels =
    channels === null
      ? sql``
      : sql` and exists (select 1 from notification where notification.id = mailbox.notification_id
          and notification.channel in (${sql.join(channels)}))`;
  const isGiven = isFiltered
    ? sql`how is not null`
    : sql`(how is not null or expires_at > ${context.now()})`;
  const messages = sql`device_id = ${deviceId} and number <= ${number} and ${isGiven}${inChannels}`;
  const updates = [updateQuery(context, "resumed", messages)];
  return commitTakes(context, { lock: [], updates, deviceIds: [deviceId] });
}

interface TakeCommit {
  readonly lock: readonly Compilable[];
  readonly updates: readonly Compilable[];
  readonly deviceIds: readonly string[];
}

async function commitTakes(
  context: Context,
  { lock, updates, deviceIds }: TakeCommit,
): Promise<TakeResult> {
  const services = [...new Set(deviceIds)].map((deviceId) => `${KEPT_PREFIX}${deviceId}`);
  const waits = endWaitsQueries(context, services);
  const results = await context.database.atomically([...lock, ...updates, ...waits]);
  const rows = results
    .slice(lock.length, lock.length + updates.length)
    // The columns that `updateQuery` returns.
    .flatMap((result) => result.rows as readonly TakenMessage[]);
  const dueJobs = results[lock.length + updates.length]?.rows ?? [];
  return { taken: rows, hasDueJobs: dueJobs.length > 0 };
}

function updateQuery(
  { database: { db }, now }: Context,
  how: Proof,
  messages: RawBuilder<unknown>,
): Compilable {
  const isNew =
    how === "written" ? sql`taken_at is null` : sql`(taken_at is null or how = 'written')`;
  return db
    .updateTable("mailbox")
    .set({ taken_at: now(), how })
    .where(sql<boolean>`${messages} and ${isNew}`)
    .returning(["device_id as deviceId", "number", "notification_id as notificationId", "how"]);
}

/** Locks the messages in one order, so that two nodes that record proofs for the same apps cannot deadlock. */
function lockQuery(
  { database: { db, engine } }: Context,
  takes: readonly Take[],
): readonly Compilable[] {
  if (engine.lockRows === null || takes.length === 1) return [];
  const keys = takes.map(toKey);
  return [
    db
      .selectFrom("mailbox")
      .select("number")
      .where(sql<boolean>`(device_id, number) in (values ${sql.join(keys)})`)
      .orderBy("device_id")
      .orderBy("number")
      .modifyEnd(engine.lockRows),
  ];
}

function toKey({ deviceId, number }: Take): RawBuilder<unknown> {
  return sql`(${castToText(deviceId)}, ${castToBigint(number)})`;
}
