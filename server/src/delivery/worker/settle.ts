import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "#context.ts";
import type { SettleAck, Settlement } from "../store/delivery-store.ts";

/** Interval of retries while the disk is full or the database restarts. */
const RETRY_MS = 1_000;
/** Maximum number of tries, which covers the duration of a lease. After that, another run repeats the work. */
const TRIES_MAX = 30;

/** The dependencies for recording settlements. */
export interface SettleDeps extends Context {
  /** Records one settlement in a shared commit; resolves once it is durable. */
  readonly settle: (settlement: Settlement) => Promise<SettleAck>;
}

/**
 * Records a settlement and retries while the database is unavailable, because a lost result means a notification that
 * is sent twice. Each try plans the settlement again. Returns the recorded settlement.
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
 * Calls `write`, and retries while the database is unavailable. Gives up after `TRIES_MAX` tries or if `signal` is
 * aborted.
 */
export async function writeDurably<T>(
  { log, database }: Pick<Context, "log" | "database">,
  write: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      const isTemporary = database.engine.isUnavailable(error);
      if (!isTemporary || tries >= TRIES_MAX || signal.aborted) throw error;
      if (tries === 1) log.warn({ err: error }, "results cannot be recorded yet");
      await wait(RETRY_MS);
    }
  }
}
