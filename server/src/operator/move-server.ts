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

export interface MoveServerInput {
  readonly from: DatabasePlace;
  readonly to: DatabasePlace;
  readonly isResumed: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onProgress: (progress: MoveProgress) => void;
}

/** The contents of both sides after a move. */
export interface Moved {
  readonly tables: readonly MovedContents[];
  /** The id of the master key that the secrets are sealed with, which is not moved; null if they are not sealed. */
  readonly keyId: string | null;
}

/** Batches are small, but counting a large table may take long. */
const QUERY_TIMEOUT_MS = 10 * 60 * 1_000;

/**
 * Moves all data of a server from SQLite to PostgreSQL or back, including its secrets but not the master key that they
 * may be sealed with, and returns the contents of both sides. The source keeps everything. Throws `OperatorError` if a
 * server runs on either side, or as `move` refuses.
 */
export async function moveServer(input: MoveServerInput): Promise<Moved> {
  const { from, to } = input;
  if (from.kind === to.kind) {
    throw new OperatorError("usage", "A move leads from SQLite to PostgreSQL, or back.");
  }
  await requireDatabase(from);
  const ends: End[] = [];
  try {
    const source = await openEnd(from, ends);
    const target = await openEnd(to, ends);
    const tables = await moveBetween(source, target, input);
    const event = { action: "server_moved", now: input.now } as const;
    await target.database.atomically([operationInsert(target.database, event)]);
    return { tables, keyId: await keyIdIn(target) };
  } catch (error) {
    throw explain(error, input);
  } finally {
    for (const end of ends) await end.close();
  }
}

interface End {
  readonly place: DatabasePlace;
  readonly database: Database;
  close(): Promise<void>;
}

async function moveBetween(source: End, target: End, input: MoveServerInput) {
  const { isResumed, now, onProgress } = input;
  return move({
    from: source.database,
    to: target.database,
    isResumed,
    now: now(),
    onProgress,
    onBegun: () => moveSecrets(source, target),
    // A server that started meanwhile may have changed rows already copied.
    onEqual: () => refuseRunning(source),
  });
}

/** No server starts on a SQLite file while its side of the move is open; on PostgreSQL none may be running. */
async function openEnd(place: DatabasePlace, ends: End[]): Promise<End> {
  const end = place.kind === "sqlite" ? await openFile(place) : openServer(place);
  ends.push(end);
  await migrate(end.database);
  await refuseLater(end);
  await refuseRunning(end);
  return end;
}

/** Data of a later version would be left behind. */
async function refuseLater({ place, database }: End): Promise<void> {
  const steps = await findLaterSteps(database);
  if (steps.length === 0) return;
  const used = `${placeText(place)} was used by a later version of Tocsin (${steps.join(", ")}).`;
  throw new OperatorError("database", `${used} Move it with that version.`);
}

async function openFile(place: DatabasePlace & { readonly kind: "sqlite" }): Promise<End> {
  await prepareDataFolder(dirname(place.path));
  const unlock = lock(dirname(place.path));
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

function lock(folder: string): () => void {
  try {
    return lockInstance(join(folder, "server.lock"));
  } catch (error) {
    throw new OperatorError("running", `A server runs on ${folder}. Stop it first.`, error);
  }
}

function openServer(place: DatabasePlace & { readonly kind: "postgres" }): End {
  const log = pino({ level: "silent" });
  const database = openPostgres({
    url: place.url,
    patienceMs: QUERY_TIMEOUT_MS,
    onIdleError: (error) => log.warn({ err: error }),
  });
  return { place, database, close: () => database.close() };
}

async function refuseRunning({ place, database }: End): Promise<void> {
  if (place.kind === "sqlite" || !(await hasLivingNodes(database))) return;
  throw new OperatorError(
    "running",
    `A server runs on ${placeText(place)}. Stop all of them first.`,
  );
}

/** Moves the secrets as stored: sealed ones stay sealed, and belong to the same place on the other side. */
async function moveSecrets(source: End, target: End): Promise<void> {
  for (const name of SECRET_NAMES) {
    const stored = await secretsOf(source).find(name);
    if (stored === null) continue;
    // `offer` keeps an existing secret.
    if ((await secretsOf(target).offer(name, stored)) === stored) continue;
    throw new OperatorError("other_secrets", "The target has secrets of another server.");
  }
}

async function keyIdIn(end: End): Promise<string | null> {
  const kept = await findKept(secretsOf(end));
  return kept.map(({ stored }) => keyIdOf(stored)).find((keyId) => keyId !== null) ?? null;
}

function secretsOf({ place, database }: End): SecretKeeper {
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
