import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { castValue, type Condition } from "#database/insert-under.ts";
import type { Mail } from "#mail/mail.ts";
import { insertMailQuery, insertMailUnderQuery } from "#mail/store/outbox.ts";
import { didAffectTimer, removeTimerQuery, setTimerQuery } from "#timers/store.ts";
import type { Timer } from "#timers/timer.ts";
import {
  ALARM_MAILS_PER_HOUR,
  formatMailHour,
  getHourEnd,
  type MailHour,
} from "../alarm-mail-limit.ts";

/** The alarm email of a change to one person, as an ordinary email and as the last one in its hour. */
export interface AlarmMail {
  readonly hour: MailHour;
  readonly mail: Mail;
  readonly lastMail: Mail;
}

/**
 * Returns the query that counts an alarm of a person in an hour. The row stays locked until the commit, so the later
 * statements read the number of this very alarm.
 */
export function countAlarmQuery(
  { database: { db } }: Context,
  { accountId, startsAt }: MailHour,
  condition: Condition,
): Compilable {
  const statement = sql`
    insert into alarm_mail_hour (account_id, starts_at, alarm_count, told_count)
    select ${castValue(accountId)}, ${castValue(startsAt)}, 1, 0 where ${condition}
    on conflict (account_id, starts_at) do update set alarm_count = alarm_mail_hour.alarm_count + 1`;
  return { compile: () => statement.compile(db) };
}

/** Returns the condition that the transaction's alarm gets an email of its own. */
export function isMailed(hour: MailHour): Condition {
  return hasHourWithCount(hour, sql`alarm_count <= ${ALARM_MAILS_PER_HOUR}`);
}

/** Returns the condition that the transaction's alarm gets no email of its own. */
export function isWithheld(hour: MailHour): Condition {
  return hasHourWithCount(hour, sql`alarm_count > ${ALARM_MAILS_PER_HOUR}`);
}

function hasHourWithCount(
  { accountId, startsAt }: MailHour,
  isInRange: Condition | ReturnType<typeof sql>,
) {
  return sql<boolean>`exists (select 1 from alarm_mail_hour
    where account_id = ${accountId} and starts_at = ${startsAt} and ${isInRange})`;
}

/**
 * Returns the statements that store the email of an alarm that was counted, or set the timer of the summary of its
 * hour.
 */
export function insertAlarmMailQueries(
  context: Context,
  { hour, mail, lastMail }: AlarmMail,
  condition: Condition,
): readonly Compilable[] {
  const under = (own: Condition) => sql<boolean>`${condition} and ${own}`;
  const isLast = hasHourWithCount(hour, sql`alarm_count = ${ALARM_MAILS_PER_HOUR}`);
  const isEarlier = hasHourWithCount(hour, sql`alarm_count < ${ALARM_MAILS_PER_HOUR}`);
  const timer = {
    kind: "mail_summary",
    subjectId: formatMailHour(hour),
    runAt: getHourEnd(hour),
  } as const;
  return [
    insertMailUnderQuery(context, mail, under(isEarlier)),
    insertMailUnderQuery(context, lastMail, under(isLast)),
    setTimerQuery(context, timer, under(isWithheld(hour))),
  ];
}

/**
 * Stores the summary of an hour, which says how many alarms had no email of their own, and removes the timer that fired
 * for it. Returns false if there is nothing new to say, or if another process was first.
 */
export async function storeSummary(
  context: Context,
  {
    timer,
    hour,
    createMail,
  }: {
    readonly timer: Timer;
    readonly hour: MailHour;
    /** Returns the summary of a number of alarms; null if the person may no longer get emails. */
    readonly createMail: (alarmCount: number) => Mail | null;
  },
): Promise<boolean> {
  return context.database.transaction(async (db) => {
    const hourColumns = { account_id: hour.accountId, starts_at: hour.startsAt };
    // Changes nothing, but locks the row before the timer, as a change does: an alarm that is counted afterwards sets
    // the timer again.
    const counts = await db
      .updateTable("alarm_mail_hour")
      .set((eb) => ({ told_count: eb.ref("told_count") }))
      .where((eb) => eb.and(hourColumns))
      .returning(["alarm_count", "told_count"])
      .executeTakeFirst();
    if (!didAffectTimer(await db.executeQuery(removeTimerQuery(context, timer).compile())))
      return false;
    const unmailedCount = (counts?.alarm_count ?? 0) - ALARM_MAILS_PER_HOUR;
    const unreportedCount = unmailedCount - (counts?.told_count ?? 0);
    const mail = unreportedCount > 0 ? createMail(unreportedCount) : null;
    if (mail === null) return false;
    await db
      .updateTable("alarm_mail_hour")
      .set({ told_count: unmailedCount })
      .where((eb) => eb.and(hourColumns))
      .execute();
    await db.executeQuery(insertMailQuery(context, mail).compile());
    return true;
  });
}

/** Returns the query that deletes the counts of an account, for its deletion. */
export function deleteMailHoursQuery({ database: { db } }: Context, accountId: string): Compilable {
  return db.deleteFrom("alarm_mail_hour").where("account_id", "=", accountId);
}

/** Counts are kept for this time, so that a late timer still finds them. */
const RETENTION_MS = 2 * 86_400_000;

/**
 * Deletes the oldest counts of hours that are long over: up to `limit`, and all others of the same hours. Returns how
 * many it deleted.
 */
export async function pruneAlarmMailHours(
  { database: { db }, now }: Context,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom("alarm_mail_hour")
    .select(["account_id", "starts_at"])
    .where("starts_at", "<", now() - RETENTION_MS)
    .orderBy("starts_at")
    .limit(limit)
    .execute();
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return 0;
  const { numDeletedRows } = await db
    .deleteFrom("alarm_mail_hour")
    .where("starts_at", ">=", first.starts_at)
    .where("starts_at", "<=", last.starts_at)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
