import type { Context } from "#context.ts";
import type { Database } from "#database/database.ts";
import { runUntilCertain } from "#database/run-until-certain.ts";
import type { SqlValues, TransferableValue } from "#database/sqlite-procedure.ts";
import { recordDeviceUpdatesQueries } from "#devices/store/device-state.ts";
import { countResultsByKey, toDay } from "../result/activity.ts";
import type { DeliveryStore, Settlement } from "./delivery-store.ts";
import { encodeCounts, encodeResults } from "./tuples.ts";
import type { JobEnd, SettleInput, SettleOutput, SettleStatements } from "./settle-procedure.ts";

/** Returns a `settle` that calls a procedure in the SQLite thread. Every job of a batch must be done. */
export function createSettleInThread(
  context: Context,
  define: NonNullable<Database["defineProcedure"]>,
): DeliveryStore["settle"] {
  const callProcedure = define(new URL("./settle-procedure.ts", import.meta.url));
  return async (batch) => {
    const input = toInput(context, batch);
    const [output] = await runUntilCertain(() => callProcedure([input], () => STATEMENTS));
    const leaseFlags = output as unknown as SettleOutput; // settle-procedure.ts returns this type.
    return leaseFlags.map((isHeld) => (isHeld === 1 ? "ok" : "fenced"));
  };
}

const STATEMENTS: SettleStatements = {
  endJob: "delete from send_job where id = ? and epoch = ?",
  insertPage: `
    insert into delivery_page (notification_id, id, created_at, results, counts)
    values (?, ?, ?, ?, ?) on conflict (notification_id, id) do nothing`,
  findAudience: "select audience_id from notification where id = ?",
  insertCount: `
    insert into activity_tally (id, day, audience_id, provider, state, code, pace, count)
    values (?, ?, ?, ?, ?, ?, ?, ?)`,
};

function toInput(context: Context, batch: readonly Settlement[]): TransferableValue {
  const at = context.now();
  const updates = batch.flatMap(({ deviceStateUpdate }) => deviceStateUpdate ?? []);
  const deviceUpdates = recordDeviceUpdatesQueries(context, updates).map((query) => {
    const { sql, parameters } = query.compile();
    // Ids, states and times are values that SQLite stores.
    return [sql, ...(parameters as SqlValues)] as const;
  });
  return [
    batch.map((settlement) => toJobEnd(settlement, at)),
    `${context.newId()}-`,
    toDay(at),
    deviceUpdates,
  ] satisfies SettleInput;
}

function toJobEnd({ id, lease, notificationId, results }: Settlement, at: number): JobEnd {
  const { jobId, epoch } = lease;
  if (results.length === 0) return [jobId, epoch, null, []];
  const page = [notificationId, id, at, encodeResults(results), encodeCounts(results)] as const;
  const counts = [...countResultsByKey(notificationId, results)].map(
    ([key, count]) => [...key, count] as const,
  );
  return [jobId, epoch, page, counts];
}
