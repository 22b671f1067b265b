import type { DatabaseContext } from "#context.ts";
import { requireBatchSize } from "../device.ts";

/** The connected app of a device. Times are in milliseconds since the epoch. */
export interface AppOfDevice {
  readonly client: "ntfy" | "gotify" | "other";
  readonly topic: string;
  readonly isConnected: boolean;
  /** The latest time at which the app connected, disconnected or polled; null if it never has. */
  readonly lastConnectedAt: number | null;
}

/** Returns the connected apps of up to 500 devices, by device id. A device that a push service reaches has none. */
export async function findAppsOfDevices(
  { database: { db } }: DatabaseContext,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, AppOfDevice>> {
  requireBatchSize(deviceIds);
  if (deviceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("connected_app")
    .select(["device_id", "client", "topic", "node_id", "connected_at", "disconnected_at"])
    .where("device_id", "in", deviceIds)
    .execute();
  return new Map(
    rows.map((row) => [
      row.device_id,
      {
        client: row.client,
        topic: row.topic,
        isConnected: row.node_id !== null,
        lastConnectedAt: toLatest(row.connected_at, row.disconnected_at),
      },
    ]),
  );
}

function toLatest(first: number | null, second: number | null): number | null {
  return first === null || second === null ? (first ?? second) : Math.max(first, second);
}
