import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "#context.ts";
import type { SettleAck, Settlement } from "../store/delivery-store.ts";

/** A write to a full disk or a database that restarts is repeated this often, … */
const AGAIN_MS = 1_000;
/** … for as long as a lease lasts; after that, another run repeats the work. */
const TRIES_MAX = 30;

export interface SettleDeps extends Context {
  /** Records one settlement, sharing its commit with others; resolves once it is durable. */
  readonly settle: (settlement: Settlement) => Promise<SettleAck>;
}

/**
 * Records a settlement, which is planned anew for each try, and keeps trying while the database cannot be written: the push
 * services were already asked, and a lost result is a notification that is sent twice. Returns the recorded settlement.
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

/** Writes, and keeps trying while the database cannot be written. */
export async function writeDurably<T>(
  { log, database }: Pick<Context, "log" | "database">,
  write: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      const isPassing = database.engine.isUnavailable(error);
      if (!isPassing || tries >= TRIES_MAX || signal.aborted) throw error;
      if (tries === 1) log.warn({ err: error }, "results cannot be recorded yet");
      await wait(AGAIN_MS);
    }
  }
}
