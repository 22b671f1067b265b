import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { castValue, type Condition } from "#database/insert-under.ts";
import type { Mail } from "#mail/mail.ts";
import { insertMailQuery, insertMailUnderQuery } from "#mail/store/outbox.ts";
import { didAffectTimer, removeTimerQuery, setTimerQuery } from "#timers/store.ts";
import type { Timer } from "#timers/timer.ts";
import { ALARM_MAILS_PER_HOUR, formatMailHour, getEnd, type MailHour } from "../mail-hour.ts";

/** An alarm of which a change mails a person, as an ordinary email and as the last one of its hour. */
export interface AlarmMail {
  readonly hour: MailHour;
  readonly mail: Mail;
  readonly lastMail: Mail;
}

/**
 * Returns the query that counts an alarm of a person in an hour. Its transaction holds the row until it ends, so that
 * the later statements read the person's number of this very alarm.
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

/** Returns the condition that the alarm that a transaction counted is told by an email of its own. */
export function isMailed(hour: MailHour): Condition {
  return hasCount(hour, sql`alarm_count <= ${ALARM_MAILS_PER_HOUR}`);
}

/** Returns the condition that the alarm that a transaction counted has no email of its own. */
export function isWithheld(hour: MailHour): Condition {
  return hasCount(hour, sql`alarm_count > ${ALARM_MAILS_PER_HOUR}`);
}

function hasCount(
  { accountId, startsAt }: MailHour,
  isInRange: Condition | ReturnType<typeof sql>,
) {
  return sql<boolean>`exists (select 1 from alarm_mail_hour
    where account_id = ${accountId} and starts_at = ${startsAt} and ${isInRange})`;
}

/**
 * Returns the statements that store the email of an alarm that was counted, or the timer of the email that tells how
 * many further alarms there were.
 */
export function insertAlarmMailQueries(
  context: Context,
  { hour, mail, lastMail }: AlarmMail,
  condition: Condition,
): readonly Compilable[] {
  const under = (own: Condition) => sql<boolean>`${condition} and ${own}`;
  const isLast = hasCount(hour, sql`alarm_count = ${ALARM_MAILS_PER_HOUR}`);
  const isEarlier = hasCount(hour, sql`alarm_count < ${ALARM_MAILS_PER_HOUR}`);
  const timer = {
    kind: "mail_summary",
    subjectId: formatMailHour(hour),
    runAt: getEnd(hour),
  } as const;
  return [
    insertMailUnderQuery(context, mail, under(isEarlier)),
    insertMailUnderQuery(context, lastMail, under(isLast)),
    setTimerQuery(context, timer, under(isWithheld(hour))),
  ];
}

/**
 * Stores the email that tells how many further alarms there were in an hour, and removes the timer that fired for it.
 * Returns false if there is nothing to tell, or if another process was first.
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
    /** Returns the email about a number of alarms; null if nobody may be told any more. */
    readonly createMail: (alarmCount: number) => Mail | null;
  },
): Promise<boolean> {
  return context.database.transaction(async (db) => {
    const isHour = { account_id: hour.accountId, starts_at: hour.startsAt };
    // Locks the row before the timer, as a change does: an alarm that is counted meanwhile sets the timer again.
    const counts = await db
      .updateTable("alarm_mail_hour")
      .set((eb) => ({ told_count: eb.ref("told_count") }))
      .where((eb) => eb.and(isHour))
      .returning(["alarm_count", "told_count"])
      .executeTakeFirst();
    if (!didAffectTimer(await db.executeQuery(removeTimerQuery(context, timer).compile())))
      return false;
    const further = (counts?.alarm_count ?? 0) - ALARM_MAILS_PER_HOUR;
    const untold = further - (counts?.told_count ?? 0);
    const mail = untold > 0 ? createMail(untold) : null;
    if (mail === null) return false;
    await db
      .updateTable("alarm_mail_hour")
      .set({ told_count: further })
      .where((eb) => eb.and(isHour))
      .execute();
    await db.executeQuery(insertMailQuery(context, mail).compile());
    return true;
  });
}

/** Returns the query that deletes the counts of an account that ends. */
export function deleteMailHoursQuery({ database: { db } }: Context, accountId: string): Compilable {
  return db.deleteFrom("alarm_mail_hour").where("account_id", "=", accountId);
}

/** A count is kept for this time, in which a late timer still finds it. */
const KEPT_MS = 2 * 86_400_000;

/** Deletes up to `limit` counts of hours that are long over, and returns how many. */
export async function pruneAlarmMailHours(
  { database: { db }, now }: Context,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom("alarm_mail_hour")
    .select(["account_id", "starts_at"])
    .where("starts_at", "<", now() - KEPT_MS)
    .orderBy("starts_at")
    .limit(limit)
    .execute();
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const { numDeletedRows } = await db
    .deleteFrom("alarm_mail_hour")
    .where("starts_at", ">=", first.starts_at)
    .where("starts_at", "<=", last.starts_at)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
