import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createAccept } from "#delivery/store/accept.ts";
import type { AcceptRequest, AcceptResult } from "#delivery/store/delivery-store.ts";
import { GroupCommit } from "#delivery/limits/group-commit.ts";
import { createPendingDevices } from "#delivery/delivery.ts";
import { openSqlite } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { createIds } from "#ids.ts";
import { createFeedEntryRow } from "#notifications/feed/store.ts";
import { createNotification } from "../../test/support/notifications.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

const CONCURRENCY = 64;
const elapsed = () => performance.now();

/**
 * Accepts notifications with one device each into a SQLite file, with up to `batchMax` notifications per commit; 1 means
 * one commit each.
 */
export async function measureRound(
  { batchMax }: { readonly batchMax: number },
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-bench-"));
  const database = openSqlite(join(folder, "tocsin.db"));
  await migrate(database);
  const newId = createIds(Date.now);
  const log = pino({ level: "silent" });
  const context = { database, newId, now: Date.now, elapsed, log, seal: NO_SEAL };
  const groupCommit = new GroupCommit<AcceptRequest, AcceptResult>({
    commit: createAccept(context, "node"),
    batchMax,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed,
    createTimeoutError: () => new Error("The commit took too long."),
  });
  const figures = await measureThroughput({ concurrency: CONCURRENCY, durations }, async () => {
    const notification = createNotification(context, "account");
    const work = { kind: "devices", pending: createPendingDevices([newId()], 0) } as const;
    const extraRows = [createFeedEntryRow(notification)];
    const content = { notification, lane: 1, work, extraRows } as const;
    const request = { ...content, idempotency: null, takeLease: true };
    const { kind } = await groupCommit.submit(request);
    if (kind !== "accepted") throw new Error(`The notification was ${kind}.`);
  });
  await database.close();
  await rm(folder, { recursive: true });
  return figures;
}
