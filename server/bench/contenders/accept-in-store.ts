import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createAccept } from "#delivery/store/accept.ts";
import type { AcceptRequest, AcceptResult } from "#delivery/store/delivery-store.ts";
import { GroupCommit } from "#delivery/limits/group-commit.ts";
import { untried } from "#delivery/delivery.ts";
import { openSqlite } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { createIds } from "#ids.ts";
import { feedEntry } from "#notifications/feed/store.ts";
import { notificationTo } from "../../test/support/notifications.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

const IN_FLIGHT = 64;
const elapsed = () => performance.now();

/** Accepts notifications with one device each into a SQLite file, with group commit or one commit each. */
export async function work(
  { batchMax }: { readonly batchMax: number },
  duration: Duration,
): Promise<WorkFigures> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-bench-"));
  const database = openSqlite(join(folder, "tocsin.db"));
  await migrate(database);
  const newId = createIds(Date.now);
  const log = pino({ level: "silent" });
  const context = { database, newId, now: Date.now, elapsed, log, seal: NO_SEAL };
  const accepting = new GroupCommit<AcceptRequest, AcceptResult>({
    commit: createAccept(context, "node"),
    batchMax,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed,
    tooSlow: () => new Error("The commit took too long."),
  });
  const busy = await keepBusy({ inFlight: IN_FLIGHT, duration }, async () => {
    const notification = notificationTo(context, "account");
    const work = { kind: "devices", pending: untried([newId()], 0) } as const;
    const alongside = [feedEntry(notification)];
    const of = { notification, lane: 1, work, alongside } as const;
    const request = { ...of, idempotency: null, takeLease: true };
    const { kind } = await accepting.push(request);
    if (kind !== "accepted") throw new Error(`The notification was ${kind}.`);
  });
  await database.close();
  await rm(folder, { recursive: true });
  return busy;
}
