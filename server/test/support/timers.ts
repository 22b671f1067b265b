import type { Context } from "#context.ts";
import { didAffectTimer, removeTimerQuery, setTimerQuery, type TimerDraft } from "#timers/store.ts";
import type { DueTimer, TimerHandler } from "#timers/timer.ts";
import { TimerWorker, type TimerWorkerDeps } from "#timers/worker.ts";
import type { Scope } from "./scope.ts";

/** Creates a timer worker, which stops when its scope ends. The caller starts it. */
export function createTimerWorker(
  scope: Scope,
  context: Context,
  deps: Partial<Omit<TimerWorkerDeps, "context">> = {},
): TimerWorker {
  const worker = new TimerWorker({
    context,
    random: () => 0,
    publishTimerSet: () => {},
    observeLateness: () => {},
    ...deps,
  });
  scope.after(() => worker.stop());
  return worker;
}

/** Stores timers, without announcing them to a worker. */
export async function storeTimers(context: Context, drafts: readonly TimerDraft[]): Promise<void> {
  await context.database.atomically(drafts.map((draft) => setTimerQuery(context, draft)));
}

/** Returns the stored timers, sorted by kind and subject. All times are in milliseconds from now. */
export async function listTimers({ database: { db }, now }: Context) {
  const at = now();
  const rows = await db
    .selectFrom("timer")
    .select(["kind", "subject_id", "run_at", "due_at", "set_at", "is_absolute", "failures"])
    .orderBy("kind")
    .orderBy("subject_id")
    .execute();
  return rows.map((row) => ({
    kind: row.kind,
    subjectId: row.subject_id,
    runInMs: row.run_at - at,
    dueInMs: row.due_at - at,
    setInMs: row.set_at - at,
    isAbsolute: row.is_absolute === 1,
    failures: row.failures,
  }));
}

/** Returns a handler that removes each timer, and adds it to `fired` if no other process removed it first. */
export function createRemovingHandler(context: Context, fired: DueTimer[]): TimerHandler {
  return async (due) => {
    const [result] = await context.database.atomically([removeTimerQuery(context, due.timer)]);
    if (result !== undefined && didAffectTimer(result)) fired.push(due);
  };
}
