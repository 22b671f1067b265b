import { Listener } from "#database/listener.ts";
import type { Context } from "#context.ts";
import type { DatabaseClock } from "#nodes/database-clock.ts";
import { createSingleNode, type Nodes } from "#nodes/nodes.ts";
import { ProvenTime, type TimeMark } from "#nodes/proven-time.ts";
import { SharedNodes, type SubscriptionDeps } from "#nodes/shared-nodes.ts";
import { readTimeMark, writeTimeMark } from "#nodes/store.ts";
import type { AppOptions } from "./rooms.ts";

/** Returns this process as one of the nodes on a shared database, or as the only one on a SQLite file. */
export function createNodes(
  { config, log, random }: AppOptions,
  { context, clock }: { readonly context: Context; readonly clock: DatabaseClock | null },
): Nodes {
  const { database: location, role } = config;
  const id = context.newId();
  if (location.kind === "sqlite" || clock === null) return createSingleNode(id);
  const subscribe = (deps: SubscriptionDeps) =>
    new Listener({ url: location.url, log, random, ...deps });
  return new SharedNodes({ id, role, context, clock, subscribe });
}

/** Returns the proven time, continued from the mark that the previous process stored. */
export async function createProvenTime({
  database,
  now,
  elapsed,
  log,
}: Context): Promise<ProvenTime> {
  const mark = await readTimeMark(database);
  const storeMark = (newMark: TimeMark) => writeTimeMark({ database }, newMark);
  return new ProvenTime({ now, elapsed, log, mark, storeMark });
}
