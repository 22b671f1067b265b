import { dirname, join } from "node:path";
import { pino } from "pino";
import { openSqlite, type Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { findLaterMigrations, migrate } from "#database/migration.ts";
import {
  moveDatabase,
  MoveError,
  type MovedContents,
  type MoveProgress,
} from "#database/move/move.ts";
import type { DatabaseLocation } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { openPostgres } from "#database/postgres.ts";
import { hasLivingNodes } from "#nodes/store.ts";
import { getMasterKeyId } from "#secrets/envelope.ts";
import {
  findStoredSecrets,
  createSecretStore,
  SECRET_NAMES,
  type SecretStore,
} from "#secrets/secret-store.ts";
import { toOperationInsert } from "./audit.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { OperatorError } from "./operator-error.ts";
import { formatDatabaseLocation } from "./database-location.ts";
import { requireDatabase } from "./require-database.ts";

/** Both sides of a move, the clock, and a progress callback. */
export interface MoveServerInput {
  readonly from: DatabaseLocation;
  readonly to: DatabaseLocation;
  readonly isResumed: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onProgress: (progress: MoveProgress) => void;
}

/** The moved tables, and the master key that the moved secrets need. */
export interface MoveResult {
  readonly tables: readonly MovedContents[];
  /** The id of the master key that seals the secrets, which is not moved; null for unsealed secrets. */
  readonly keyId: string | null;
}

/** The timeout of a query. Batches are small, but counting a large table may take minutes. */
const QUERY_TIMEOUT_MS = 10 * 60 * 1_000;

/**
 * Copies all data of a server from SQLite to PostgreSQL or back, including its secrets but not their master key. The
 * source is kept. Throws `OperatorError` if a server runs on either side, if a later version used one of them, if the
 * target has other secrets, and for the errors of `moveDatabase`.
 */
export async function moveServer(input: MoveServerInput): Promise<MoveResult> {
  const { from, to } = input;
  if (from.kind === to.kind) {
    throw new OperatorError("usage", "A move is from SQLite to PostgreSQL, or back.");
  }
  await requireDatabase(from);
  const sides: MoveSide[] = [];
  try {
    const source = await openSide(from, sides);
    const target = await openSide(to, sides);
    const tables = await moveBetween(source, target, input);
    const event = { action: "server_moved", now: input.now } as const;
    await target.database.atomically([toOperationInsert(target.database, event)]);
    return { tables, keyId: await findKeyId(target) };
  } catch (error) {
    throw toReportedError(error, input);
  } finally {
    for (const side of sides) await side.close();
  }
}

/** One of the two databases of a move. */
interface MoveSide {
  readonly location: DatabaseLocation;
  readonly database: Database;
  /** Closes the database, and lets servers start on it again. */
  close(): Promise<void>;
}

async function moveBetween(source: MoveSide, target: MoveSide, input: MoveServerInput) {
  const { isResumed, now, onProgress } = input;
  return moveDatabase({
    from: source.database,
    to: target.database,
    isResumed,
    now: now(),
    onProgress,
    onStarted: () => moveSecrets(source, target),
    // A server that started meanwhile may have changed copied rows.
    onVerified: () => refuseRunningServer(source),
  });
}

/** Opens and migrates one side of the move. Locks servers out of a SQLite file; throws if one runs on PostgreSQL. */
async function openSide(location: DatabaseLocation, sides: MoveSide[]): Promise<MoveSide> {
  const side =
    location.kind === "sqlite" ? await openSqliteSide(location) : openPostgresSide(location);
  sides.push(side);
  await migrate(side.database);
  await refuseLaterVersion(side);
  await refuseRunningServer(side);
  return side;
}

/** Throws if a later version used the database: data that only that version has would not be moved. */
async function refuseLaterVersion({ location, database }: MoveSide): Promise<void> {
  const migrations = await findLaterMigrations(database);
  if (migrations.length === 0) return;
  const reason = `${formatDatabaseLocation(location)} was used by a later version of Tocsin (${migrations.join(", ")}).`;
  throw new OperatorError("database", `${reason} Move it with that version.`);
}

async function openSqliteSide(
  location: DatabaseLocation & { readonly kind: "sqlite" },
): Promise<MoveSide> {
  await prepareDataFolder(dirname(location.path));
  const unlock = lockFolder(dirname(location.path));
  const database = openSqlite(location.path);
  return {
    location,
    database,
    async close() {
      await database.close();
      unlock();
    },
  };
}

function lockFolder(folder: string): () => void {
  try {
    return lockInstance(join(folder, "server.lock"));
  } catch (error) {
    throw new OperatorError("running", `A server runs on ${folder}. Stop it first.`, error);
  }
}

function openPostgresSide(location: DatabaseLocation & { readonly kind: "postgres" }): MoveSide {
  const log = pino({ level: "silent" });
  const database = openPostgres({
    url: location.url,
    timeoutMs: QUERY_TIMEOUT_MS,
    onIdleError: (error) => log.warn({ err: error }),
  });
  return { location, database, close: () => database.close() };
}

async function refuseRunningServer({ location, database }: MoveSide): Promise<void> {
  if (location.kind === "sqlite" || !(await hasLivingNodes(database))) return;
  throw new OperatorError(
    "running",
    `A server runs on ${formatDatabaseLocation(location)}. Stop every server on it first.`,
  );
}

/** Copies the secrets as stored: sealed secrets stay sealed. */
async function moveSecrets(source: MoveSide, target: MoveSide): Promise<void> {
  for (const name of SECRET_NAMES) {
    const storedSecret = await openSecretStore(source).find(name);
    if (storedSecret === null) continue;
    // `storeIfMissing` does not replace an existing secret.
    if ((await openSecretStore(target).storeIfMissing(name, storedSecret)) === storedSecret)
      continue;
    throw new OperatorError("other_secrets", "The target has secrets of another server.");
  }
}

async function findKeyId(side: MoveSide): Promise<string | null> {
  const secrets = await findStoredSecrets(openSecretStore(side));
  return (
    secrets.map(({ stored }) => getMasterKeyId(stored)).find((keyId) => keyId !== null) ?? null
  );
}

function openSecretStore({ location, database }: MoveSide): SecretStore {
  const dataDir = location.kind === "sqlite" ? dirname(location.path) : "";
  return createSecretStore({ database: location, dataDir }, database);
}

function toReportedError(error: unknown, { from, to }: MoveServerInput): unknown {
  if (error instanceof MoveError) return new OperatorError(error.code, error.message, error);
  const location = from.kind === "postgres" ? from : to;
  const reason =
    location.kind === "postgres"
      ? explainPostgresFailure(error, {
          url: location.url,
          setting: formatDatabaseLocation(location),
        })
      : null;
  return reason === null ? error : new OperatorError("database", reason, error);
}
