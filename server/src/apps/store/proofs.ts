import { sql, type RawBuilder } from "kysely";
import type { Context } from "#context.ts";
import { castToBigint, castToText } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import { KEPT_PREFIX } from "#delivery/delivery.ts";
import { endWaitsQueries } from "#delivery/store/waiting.ts";
import type { Proof } from "../app.ts";
import { IS_FOR_MEMBER } from "./membership.ts";

/** The proof that an app has a message. */
export interface MessageProof {
  readonly deviceId: string;
  readonly number: number;
  readonly how: Proof;
}

/** A message for which a proof was recorded. */
export interface ProvenMessage extends MessageProof {
  readonly notificationId: string;
}

/** The messages whose proof is new, and whether the proofs made jobs due. */
export interface RecordedProofs {
  readonly proven: readonly ProvenMessage[];
  readonly hasDueJobs: boolean;
}

/**
 * Records proofs, and makes the jobs due that wait for these apps, in one commit. A proof replaces only `written`, the
 * weakest one.
 */
export async function recordProofs(
  context: Context,
  proofs: readonly MessageProof[],
): Promise<RecordedProofs> {
  if (proofs.length === 0) return { proven: [], hasDueJobs: false };
  const updates = [...Map.groupBy(proofs, ({ how }) => how)].map(([how, group]) =>
    updateQuery(context, how, sql`(device_id, number) in (values ${sql.join(group.map(toKey))})`),
  );
  return commitProofs(context, {
    lock: lockQuery(context, proofs),
    updates,
    deviceIds: proofs.map(({ deviceId }) => deviceId),
  });
}

/** The messages of an app up to a number, in some channels. */
export interface ProvenRange {
  readonly deviceId: string;
  readonly number: number;
  /** The channels that the app listens to; null for all. */
  readonly channels: readonly string[] | null;
  /** True if the app filters its messages, so that only the messages that it was given are proven. */
  readonly isFiltered: boolean;
}

/**
 * Records that an app resumed after a message, so it has that message and the ones before. A message that the app was
 * never given stays without a proof if it has expired, or if its owner has left the team.
 */
export function recordProofsUpTo(
  context: Context,
  { deviceId, number, channels, isFiltered }: ProvenRange,
): Promise<RecordedProofs> {
  const inChannels =
    channels === null
      ? sql``
      : sql` and exists (select 1 from notification where notification.id = mailbox.notification_id
          and notification.channel in (${sql.join(channels)}))`;
  const isGiven = isFiltered
    ? sql`how is not null`
    : sql`(how is not null or (expires_at > ${context.now()} and ${IS_FOR_MEMBER}))`;
  const messages = sql`device_id = ${deviceId} and number <= ${number} and ${isGiven}${inChannels}`;
  const updates = [updateQuery(context, "resumed", messages)];
  return commitProofs(context, { lock: [], updates, deviceIds: [deviceId] });
}

interface ProofCommit {
  readonly lock: readonly Compilable[];
  readonly updates: readonly Compilable[];
  readonly deviceIds: readonly string[];
}

async function commitProofs(
  context: Context,
  { lock, updates, deviceIds }: ProofCommit,
): Promise<RecordedProofs> {
  const services = [...new Set(deviceIds)].map((deviceId) => `${KEPT_PREFIX}${deviceId}`);
  const waits = endWaitsQueries(context, services);
  const results = await context.database.atomically([...lock, ...updates, ...waits]);
  const rows = results
    .slice(lock.length, lock.length + updates.length)
    // The columns that `updateQuery` returns.
    .flatMap((result) => result.rows as readonly ProvenMessage[]);
  const dueJobs = results[lock.length + updates.length]?.rows ?? [];
  return { proven: rows, hasDueJobs: dueJobs.length > 0 };
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
  proofs: readonly MessageProof[],
): readonly Compilable[] {
  if (engine.lockRows === null || proofs.length === 1) return [];
  const keys = proofs.map(toKey);
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

function toKey({ deviceId, number }: MessageProof): RawBuilder<unknown> {
  return sql`(${castToText(deviceId)}, ${castToBigint(number)})`;
}
