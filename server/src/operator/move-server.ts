import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { SECRET_FILE } from "#accounts/session-secret.ts";
import { loadOrCreateFile, readText } from "#data-file.ts";
import { openSqlite, type Database } from "#database/database.ts";
import { lockInstance } from "#database/instance-lock.ts";
import { findLaterSteps, migrate } from "#database/migration.ts";
import { move, MoveError, type MovedContents, type MoveProgress } from "#database/move/move.ts";
import type { DatabasePlace } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { openPostgres } from "#database/postgres.ts";
import { findSharedSecret, shareSecret } from "#nodes/secrets/store.ts";
import { hasLivingNodes } from "#nodes/store.ts";
import { SESSION, VAPID, VAPID_FILE } from "../secrets.ts";
import { OperatorError } from "./operator-error.ts";
import { placeText } from "./place.ts";

export interface MoveServerInput {
  readonly from: DatabasePlace;
  readonly to: DatabasePlace;
  readonly isResumed: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onProgress: (progress: MoveProgress) => void;
}

/** Batches are small; counting a large table may take long. */
const PATIENCE_MS = 10 * 60 * 1_000;

/** What is under the name in the table of PostgreSQL is in this file beside SQLite's. */
const SECRETS = { [SESSION]: SECRET_FILE, [VAPID]: VAPID_FILE };

/**
 * Moves everything of a server from SQLite to PostgreSQL or back, its secrets too, and returns what both hold then. The
 * source keeps all. Throws `OperatorError` where a server runs on either, or as `move` refuses.
 */
export async function moveServer(input: MoveServerInput): Promise<readonly MovedContents[]> {
  const { from, to } = input;
  if (from.kind === to.kind) {
    throw new OperatorError("usage", "A move leads from SQLite to PostgreSQL, or back.");
  }
  if (from.kind === "sqlite") await requireFile(from.path);
  const ends: End[] = [];
  try {
    const source = await openEnd(from, ends);
    const target = await openEnd(to, ends);
    return await moveBetween(source, target, input);
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
    // Who began to run meanwhile may have written what was passed by already.
    onEqual: () => refuseRunning(source),
  });
}

/** No server starts on a SQLite file while its end of the move is open; of PostgreSQL's, none may run. */
async function openEnd(place: DatabasePlace, ends: End[]): Promise<End> {
  const end = place.kind === "sqlite" ? await openFile(place) : openServer(place);
  ends.push(end);
  await migrate(end.database);
  await refuseLater(end);
  await refuseRunning(end);
  return end;
}

/** What a later version keeps there would be left behind. */
async function refuseLater({ place, database }: End): Promise<void> {
  const steps = await findLaterSteps(database);
  if (steps.length === 0) return;
  const used = `${placeText(place)} was used by a later version of Tocsin (${steps.join(", ")}).`;
  throw new OperatorError("database", `${used} Move it with that version.`);
}

async function openFile(place: DatabasePlace & { readonly kind: "sqlite" }): Promise<End> {
  await mkdir(dirname(place.path), { recursive: true, mode: 0o700 });
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
    patienceMs: PATIENCE_MS,
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

async function requireFile(path: string): Promise<void> {
  const isThere = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isThere) throw new OperatorError("no_database", `There is no database ${path}.`);
}

async function moveSecrets(source: End, target: End): Promise<void> {
  for (const [name, file] of Object.entries(SECRETS)) {
    const secret = await readSecret(source, { name, file });
    if (secret === null) continue;
    if ((await keepSecret(target, { name, file, secret })) === secret) continue;
    throw new OperatorError("other_secrets", "The target has secrets of another server.");
  }
}

interface Secret {
  readonly name: string;
  readonly file: string;
}

async function readSecret({ place, database }: End, { name, file }: Secret) {
  if (place.kind === "postgres") return findSharedSecret(database, name);
  return readText(join(dirname(place.path), file));
}

/** Returns the secret that the target has then: an older one stays. */
async function keepSecret(
  { place, database }: End,
  { name, file, secret }: Secret & { readonly secret: string },
): Promise<string> {
  if (place.kind === "postgres") return shareSecret(database, { name, offered: secret });
  return loadOrCreateFile(join(dirname(place.path), file), () => secret);
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
