import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "#context.ts";
import type { SettleAck, Settlement } from "../store/delivery-store.ts";

/** Pause between two writes while the disk is full or the database restarts. */
const RETRY_MS = 1_000;
/** Maximum number of writes, which take as long as a lease lasts. After that, another run repeats the work. */
const WRITES_MAX = 30;

/** The dependencies for recording settlements. */
export interface SettleDeps extends Context {
  /** Records one settlement in a shared commit; resolves once it is durable. */
  readonly settle: (settlement: Settlement) => Promise<SettleAck>;
}

/**
 * Records a settlement, and repeats the write while the database is unavailable, because a lost result means a
 * notification that is sent twice. Each write plans the settlement again. Returns the recorded settlement.
 */
export async function settleDurably<Planned extends Settlement>(
  deps: SettleDeps,
  plan: () => Planned,
  signal: AbortSignal,
): Promise<{ readonly ack: SettleAck; readonly settlement: Planned }> {
  const settle = async () => {
    const settlement = plan();
    return { ack: await deps.settle(settlement), settlement };
  };
  return writeDurably(deps, settle, signal);
}

/**
 * Calls `write`, and repeats it while the database is unavailable. Gives up after `WRITES_MAX` writes or if `signal` is
 * aborted.
 */
export async function writeDurably<T>(
  { log, database }: Pick<Context, "log" | "database">,
  write: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let writes = 1; ; writes += 1) {
    try {
      return await write();
    } catch (error) {
      const isTemporary = database.engine.isUnavailable(error);
      if (!isTemporary || writes >= WRITES_MAX || signal.aborted) throw error;
      if (writes === 1) log.warn({ err: error }, "results cannot be recorded yet");
      await wait(RETRY_MS);
    }
  }
}
