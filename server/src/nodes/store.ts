import { sql } from "kysely";
import type { DatabaseContext } from "#context.ts";
import type { Database } from "#database/database.ts";
import { LAST_MIGRATION_NAME } from "#database/migration.ts";
import { parseIdTime } from "#ids.ts";
import type { TimeMark } from "./proven-time.ts";

/** PostgreSQL's clock, in milliseconds since the epoch; it advances within a transaction. */
const DATABASE_NOW_MS = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** One of the processes that share the database. */
export interface NodeRow {
  readonly id: string;
  readonly role: string;
}

/** The result of a node's heartbeat. */
export interface HeartbeatResult {
  /** The database's clock, in milliseconds since the epoch. */
  readonly at: number;
  /** False if the node is new, or was unseen for so long that others may have declared it dead. */
  readonly wasRegistered: boolean;
  /** Milliseconds since the node's previous heartbeat; for a new node, since the last one of any node. */
  readonly silentMs: number;
  /** Number of other living nodes. */
  readonly otherCount: number;
  /** Nodes not seen for `deadAfterMs`. */
  readonly deadIds: readonly string[];
  /** The oldest time at which another living node was last seen; null if there is no other node. */
  readonly oldestSeenAt: number | null;
}

/** Returns the database's clock, in milliseconds since the epoch. */
export async function readClock({ db }: Database): Promise<number> {
  const { rows } = await sql<{ at: number }>`select ${DATABASE_NOW_MS} as at`.execute(db);
  return rows[0]?.at ?? 0;
}

/** The rules for declaring other nodes dead. */
export interface LivenessRules {
  readonly deadAfterMs: number;
  /** A time of the database's clock. Absence before this time does not count. */
  readonly absenceCountsFromAt: number;
  /**
   * If the node itself, or before its start every node, was silent for longer than this, the heartbeat declares no node
   * dead.
   */
  readonly silenceMaxMs: number;
}

/**
 * Records that a node is alive, and returns the state of the others, in one statement. A node that was last seen
 * more than `deadAfterMs` in the future, before a clock rollback, counts as seen now.
 */
export async function recordHeartbeat(
  { db }: Database,
  { id, role, deadAfterMs, absenceCountsFromAt, silenceMaxMs }: NodeRow & LivenessRules,
): Promise<HeartbeatResult> {
  const query = sql<Omit<HeartbeatResult, "wasRegistered"> & { readonly known: number }>`
    with clock as materialized (select ${DATABASE_NOW_MS} as at),
    silence as materialized (
      select coalesce(
        (select clock.at - seen_at from node, clock where id = ${id}),
        (select min(clock.at - seen_at) from node, clock),
        0
      ) as ms
    ),
    own as (
      insert into node (id, role, started_at, seen_at, known_step)
      select ${id}, ${role}, at, at, ${LAST_MIGRATION_NAME} from clock
      on conflict (id) do update set seen_at = excluded.seen_at
      returning id
    ),
    corrected as (
      update node set seen_at = clock.at from clock
      where node.id <> ${id} and node.seen_at > clock.at + ${deadAfterMs}::bigint
      returning node.id
    ),
    judged as (
      select node.id, node.seen_at,
        node.seen_at < clock.at - ${deadAfterMs}::bigint as is_unseen,
        greatest(node.seen_at, ${absenceCountsFromAt}::bigint) < clock.at - ${deadAfterMs}::bigint
          and silence.ms <= ${silenceMaxMs}::bigint as is_dead
      from node, clock, silence
    )
    select (select at from clock) as at,
      (select ms from silence) as "silentMs",
      count(*) filter (where id = ${id} and not is_unseen) as known,
      count(*) filter (where id <> ${id} and not is_dead) as "otherCount",
      coalesce(json_agg(id) filter (where id <> ${id} and is_dead), '[]') as "deadIds",
      min(seen_at) filter (where id <> ${id} and not is_dead) as "oldestSeenAt"
    from judged`;
  const { rows } = await query.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database returned no time.");
  const { known, ...result } = row;
  return { ...result, wasRegistered: known > 0 };
}

/** Deletes nodes that are still unseen; a node that has returned stays. */
export async function deleteDeadNodes(
  { db }: Database,
  { ids, deadAfterMs }: { readonly ids: readonly string[]; readonly deadAfterMs: number },
): Promise<void> {
  await db
    .deleteFrom("node")
    .where("id", "in", [...ids])
    .where("seen_at", "<", sql<number>`${DATABASE_NOW_MS} - ${deadAfterMs}::bigint`)
    .execute();
}

/** Age of the last heartbeat up to which an observer that is not a node counts a node as alive. */
const ALIVE_MAX_MS = 10_000;

/** Returns whether any process serves or sends on this database. Always false on SQLite, which records no nodes. */
export async function hasLivingNodes({ db, engine }: Database): Promise<boolean> {
  if (engine.name === "sqlite") return false;
  const row = await db
    .selectFrom("node")
    .select("id")
    .where("seen_at", ">", sql<number>`${DATABASE_NOW_MS} - ${ALIVE_MAX_MS}::bigint`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns whether a process of a version that does not know the migration `migrationName` is alive. */
export async function hasNodesBefore(
  { db, engine }: Database,
  migrationName: string,
): Promise<boolean> {
  if (engine.name === "sqlite") return false;
  const row = await db
    .selectFrom("node")
    .select("id")
    .where("seen_at", ">", sql<number>`${DATABASE_NOW_MS} - ${ALIVE_MAX_MS}::bigint`)
    .where((eb) => eb.or([eb("known_step", "is", null), eb("known_step", "<", migrationName)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a node that stops. */
export async function removeNode({ db }: Database, id: string): Promise<void> {
  await db.deleteFrom("node").where("id", "=", id).execute();
}

/** Publishes strings to all listeners on a channel; each may have up to 7,999 bytes. */
export async function notifyChannel(
  { db }: Database,
  { channel, texts }: { readonly channel: string; readonly texts: readonly string[] },
): Promise<void> {
  const calls = texts.map((text) => sql`pg_notify(${channel}, ${text})`);
  await sql`select ${sql.join(calls)}`.execute(db);
}

/** Name of the setting with the time mark. */
const TIME_MARK_SETTING = "time";

/**
 * Returns the time mark of the last process. Without a mark, returns the time of the newest notification or audit
 * event; null for a new database.
 */
export async function readTimeMark({ db }: Database): Promise<TimeMark | null> {
  const row = await db
    .selectFrom("setting")
    .select(["value", "changed_at as shownAt"])
    .where("name", "=", TIME_MARK_SETTING)
    .executeTakeFirst();
  if (row !== undefined) return { provenAt: Number(row.value), shownAt: row.shownAt };
  const newest = await Promise.all(
    (["notification", "audit_event"] as const).map((table) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.max("id").as("id"))
        .executeTakeFirst(),
    ),
  );
  const times = newest.flatMap((found) => (found?.id == null ? [] : [parseIdTime(found.id)]));
  const valid = times.filter((time) => Number.isFinite(time));
  return valid.length === 0 ? null : { provenAt: Math.max(...valid), shownAt: Math.max(...valid) };
}

/** Replaces the time mark. */
export async function writeTimeMark(
  { database }: DatabaseContext,
  { provenAt, shownAt }: TimeMark,
): Promise<void> {
  const row = { value: String(provenAt), changed_at: shownAt };
  await database.db
    .insertInto("setting")
    .values({ name: TIME_MARK_SETTING, ...row })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
    .execute();
}
