import { pino } from "pino";
import { OPERATOR } from "#audit/event.ts";
import type { Config } from "#config.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { ownerOf } from "#devices/foreign/store.ts";
import { removeDevice } from "#devices/retirement/store.ts";
import { createIds } from "#ids.ts";
import { NO_SEAL } from "#sealing/row-seal.ts";
import { requireDatabase } from "./require-database.ts";

/** Where an operator works, and when. */
export interface RemovalDeps {
  readonly config: Pick<Config, "database">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What became of each device, in the order in which they were named. */
export interface Removal {
  readonly removed: readonly { readonly deviceId: string; readonly accountId: string }[];
  /** No account has them, or not any more. */
  readonly unknown: readonly string[];
}

/**
 * Removes devices from their accounts, as their owners do in the console, and records each; a server may run meanwhile. What is
 * sent from then on does not reach them. Safe to repeat. Throws `OperatorError`.
 */
export async function removeDevices(
  { config, now }: RemovalDeps,
  deviceIds: readonly string[],
): Promise<Removal> {
  await requireDatabase(config.database);
  const log = pino({ level: "silent" });
  const database = openDatabase(config.database, log);
  try {
    await migrate(database);
    const context = { database, now, newId: createIds(now), log, seal: NO_SEAL };
    const removed: { deviceId: string; accountId: string }[] = [];
    const unknown: string[] = [];
    for (const deviceId of new Set(deviceIds)) {
      const accountId = await ownerOf(context, deviceId);
      const isRemoved =
        accountId !== null && (await removeDevice(context, { accountId, deviceId, by: OPERATOR }));
      if (isRemoved) removed.push({ deviceId, accountId });
      else unknown.push(deviceId);
    }
    return { removed, unknown };
  } finally {
    await database.close();
  }
}
