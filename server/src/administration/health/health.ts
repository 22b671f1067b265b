import { stat, statfs } from "node:fs/promises";
import type { monitorEventLoopDelay } from "node:perf_hooks";
import type { Config } from "#config/config.ts";
import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { measurePostgresBytes } from "./store.ts";

/** The dependencies that report on outgoing email. All times are milliseconds since the epoch. */
export interface MailStatusDeps {
  /** Returns the number of queued emails, and the time of the oldest. */
  countQueuedMails(): Promise<{ readonly queuedCount: number; readonly oldestAt: number | null }>;
  /** Returns the latest outcomes at the mail server since the start. */
  getLatestOutcomes(): {
    readonly lastAcceptedAt: number | null;
    readonly lastFailure: { readonly at: number; readonly reason: string } | null;
  };
}

/** The dependencies of the health report. */
export interface HealthDeps {
  readonly context: Context;
  readonly config: Pick<Config, "database" | "dataDir" | "mail">;
  readonly version: string;
  /** Name of the last migration. */
  readonly lastMigration: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly delivery: Pick<Delivery, "getQueueStats">;
  readonly mail: MailStatusDeps;
  /** The histogram of the event loop's delay, in nanoseconds. Each reading resets it. */
  readonly loopDelay: Pick<
    ReturnType<typeof monitorEventLoopDelay>,
    "percentile" | "reset" | "count"
  >;
}

const PERCENTILE = 99;
const NANOSECONDS_PER_MS = 1_000_000;

/** Returns version, database, disk, queue, email and event loop data of the running server. */
export async function measureHealth(deps: HealthDeps) {
  const { context, config, version, startedAt, lastMigration } = deps;
  const { now } = context;
  const [sizeBytes, disk, queue, mail] = await Promise.all([
    measureDatabaseBytes(context, config.database),
    statfs(config.dataDir),
    deps.delivery.getQueueStats(),
    describeMail(deps),
  ]);
  return {
    version,
    node: process.version,
    startedAt: formatTimestamp(startedAt),
    now: formatTimestamp(now()),
    database: { engine: context.database.engine.name, sizeBytes, step: lastMigration },
    disk: { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize },
    queue,
    mail,
    loopDelayMs: readDelayMs(deps.loopDelay),
  };
}

/** SQLite keeps recent writes in a separate file next to the database. */
async function measureDatabaseBytes(
  context: Context,
  database: Config["database"],
): Promise<number> {
  if (database.kind === "postgres") return measurePostgresBytes(context);
  const { path } = database;
  const sizes = await Promise.all([path, `${path}-wal`].map(readSize));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function readSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // The file does not exist yet, or was removed.
    return 0;
  }
}

async function describeMail({ config, mail }: HealthDeps) {
  const { queuedCount, oldestAt } = await mail.countQueuedMails();
  const { lastAcceptedAt, lastFailure } = mail.getLatestOutcomes();
  return {
    isConfigured: config.mail !== null,
    // Only the host, because the URL contains the password.
    host: config.mail === null ? null : new URL(config.mail.smtpUrl).host,
    from: config.mail?.from ?? null,
    owed: queuedCount,
    oldestAt: oldestAt === null ? null : formatTimestamp(oldestAt),
    lastTakenAt: lastAcceptedAt === null ? null : formatTimestamp(lastAcceptedAt),
    lastFailure:
      lastFailure === null
        ? null
        : { reason: lastFailure.reason, at: formatTimestamp(lastFailure.at) },
  };
}

function readDelayMs(histogram: HealthDeps["loopDelay"]): number {
  if (histogram.count === 0) return 0;
  const delayMs = histogram.percentile(PERCENTILE) / NANOSECONDS_PER_MS;
  histogram.reset();
  return Math.round(delayMs);
}
