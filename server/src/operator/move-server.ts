import { dirname, join } from "node:path";
import { pino } from "pino";
import { openSqlite, type Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { findLaterSteps, migrate } from "#database/migration.ts";
import { move, MoveError, type MovedContents, type MoveProgress } from "#database/move/move.ts";
import type { DatabasePlace } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { openPostgres } from "#database/postgres.ts";
import { hasLivingNodes } from "#nodes/store.ts";
import { keyIdOf } from "#secrets/envelope.ts";
import { findKept, keeperOf, SECRET_NAMES, type SecretKeeper } from "#secrets/secret-keeper.ts";
import { operationInsert } from "./audit.ts";
import { prepareDataFolder } from "#process/data-folder.ts";
import { OperatorError } from "./operator-error.ts";
import { placeText } from "./place.ts";
import { requireDatabase } from "./require-database.ts";

/** Both sides of a move, the clock, and a progress callback. */
export interface MoveServerInput {
  readonly from: DatabasePlace;
  readonly to: DatabasePlace;
  readonly isResumed: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onProgress: (progress: MoveProgress) => void;
}

/** The result of a move. */
export interface MoveResult {
  readonly tables: readonly MovedContents[];
  /** The id of the master key that seals the secrets, which is not moved; null for unsealed secrets. */
  readonly keyId: string | null;
}

/** The timeout of a query. Batches are small, but counting a large table may take minutes. */
const QUERY_TIMEOUT_MS = 10 * 60 * 1_000;

/**
 * Copies all data of a server from SQLite to PostgreSQL or back, including its secrets but not their master key. The
 * source is kept. Throws `OperatorError` if a server runs on either side, and for the errors of `move`.
 */
export async function moveServer(input: MoveServerInput): Promise<MoveResult> {
  const { from, to } = input;
  if (from.kind === to.kind) {
    throw new OperatorError("usage", "A move leads from SQLite to PostgreSQL, or back.");
  }
  await requireDatabase(from);
  const sides: Side[] = [];
  try {
    const source = await openSide(from, sides);
    const target = await openSide(to, sides);
    const tables = await moveBetween(source, target, input);
    const event = { action: "server_moved", now: input.now } as const;
    await target.database.atomically([operationInsert(target.database, event)]);
    return { tables, keyId: await keyIdIn(target) };
  } catch (error) {
    throw explain(error, input);
  } finally {
    for (const side of sides) await side.close();
  }
}

interface Side {
  readonly place: DatabasePlace;
  readonly database: Database;
  close(): Promise<void>;
}

async function moveBetween(source: Side, target: Side, input: MoveServerInput) {
  const { isResumed, now, onProgress } = input;
  return move({
    from: source.database,
    to: target.database,
    isResumed,
    now: now(),
    onProgress,
    onBegun: () => moveSecrets(source, target),
    // A server that started meanwhile may have changed copied rows.
    onEqual: () => refuseRunning(source),
  });
}

/** Opens one side of the move. Locks servers out of a SQLite file, and throws if one runs on PostgreSQL. */
async function openSide(place: DatabasePlace, sides: Side[]): Promise<Side> {
  const side = place.kind === "sqlite" ? await openFile(place) : openServer(place);
  sides.push(side);
  await migrate(side.database);
  await refuseLaterVersion(side);
  await refuseRunning(side);
  return side;
}

/** Throws if a later version used the database: its data would not be moved. */
async function refuseLaterVersion({ place, database }: Side): Promise<void> {
  const steps = await findLaterSteps(database);
  if (steps.length === 0) return;
  const reason = `${placeText(place)} was used by a later version of Tocsin (${steps.join(", ")}).`;
  throw new OperatorError("database", `${reason} Move it with that version.`);
}

async function openFile(place: DatabasePlace & { readonly kind: "sqlite" }): Promise<Side> {
  await prepareDataFolder(dirname(place.path));
  const unlock = lockFolder(dirname(place.path));
  const database = openSqlite(place.path);
  return {
    place,
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

function openServer(place: DatabasePlace & { readonly kind: "postgres" }): Side {
  const log = pino({ level: "silent" });
  const database = openPostgres({
    url: place.url,
    patienceMs: QUERY_TIMEOUT_MS,
    onIdleError: (error) => log.warn({ err: error }),
  });
  return { place, database, close: () => database.close() };
}

async function refuseRunning({ place, database }: Side): Promise<void> {
  if (place.kind === "sqlite" || !(await hasLivingNodes(database))) return;
  throw new OperatorError(
    "running",
    `A server runs on ${placeText(place)}. Stop all of them first.`,
  );
}

/** Copies the secrets as stored: sealed secrets stay sealed. */
async function moveSecrets(source: Side, target: Side): Promise<void> {
  for (const name of SECRET_NAMES) {
    const stored = await secretsOf(source).find(name);
    if (stored === null) continue;
    // `offer` keeps an existing secret.
    if ((await secretsOf(target).offer(name, stored)) === stored) continue;
    throw new OperatorError("other_secrets", "The target has secrets of another server.");
  }
}

async function keyIdIn(side: Side): Promise<string | null> {
  const secrets = await findKept(secretsOf(side));
  return secrets.map(({ stored }) => keyIdOf(stored)).find((keyId) => keyId !== null) ?? null;
}

function secretsOf({ place, database }: Side): SecretKeeper {
  const dataDir = place.kind === "sqlite" ? dirname(place.path) : "";
  return keeperOf({ database: place, dataDir }, database);
}

function explain(error: unknown, { from, to }: MoveServerInput): unknown {
  if (error instanceof MoveError) return new OperatorError(error.code, error.message, error);
  const place = from.kind === "postgres" ? from : to;
  const reason =
    place.kind === "postgres"
      ? explainPostgresFailure(error, { url: place.url, setting: placeText(place) })
      : null;
  return reason === null ? error : new OperatorError("database", reason, error);
}
