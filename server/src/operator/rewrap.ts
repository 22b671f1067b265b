import { pino } from "pino";
import { requireSecret } from "#secrets/session-secret.ts";
import { since } from "#audit/event.ts";
import { clearDeleted } from "#database/clear-deleted.ts";
import type { Database } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { countOpenMails, sealOpenMails } from "#mail/store/outbox.ts";
import { hasLivingNodes } from "#nodes/store.ts";
import { isSealedWith, keyIdOf, sealSecret } from "#secrets/envelope.ts";
import type { KeyRing } from "#secrets/key-ring.ts";
import type { MasterKey } from "#secrets/master-key.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { loadKeyRing, loadOrCreateKeyRing, type KeySettings } from "#secrets/master-keys.ts";
import {
  findKept,
  keeperOf,
  placeOfSecret,
  SESSION,
  type Kept,
  type SecretKeeper,
} from "#secrets/secret-keeper.ts";
import { openKept } from "#secrets/secrets.ts";
import { explainSeal } from "#process/start-failure.ts";
import { operationInsert } from "./audit.ts";
import { keepServersOut, refuseEarlierNodes } from "./begin-sealing.ts";
import { OperatorError } from "./operator-error.ts";
import { requireDatabase } from "./require-database.ts";

export interface RewrapInput {
  readonly config: KeySettings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after every step. */
  readonly onProgress: (progress: RewrapProgress) => void;
}

export interface RewrapProgress {
  readonly phase: "secrets" | "mails";
  readonly done: number;
  readonly total: number;
}

/** The values sealed now; they need no other master key. */
export interface Rewrapped {
  /** The id of the master key. */
  readonly keyId: string;
  /** How many of the server's secrets were sealed; the others were, by this key and in the present form. */
  readonly secrets: number;
  /** Number of queued mails that were sealed. */
  readonly mails: number;
  /** Servers that started earlier still run: they write mails in clear until their next start. */
  readonly mustRestart: boolean;
}

/** The most mails sealed in one transaction. */
const BATCH_MAX = 100;

/**
 * Seals the server's secrets with the current master key, whatever they are sealed with so far. It may be broken off at any
 * moment, and repeated. Servers may run meanwhile, but on PostgreSQL none of an earlier version, and on SQLite none where nothing was
 * sealed before. Throws `OperatorError`.
 */
export async function rewrap(input: RewrapInput): Promise<Rewrapped> {
  const { database: place } = input.config;
  await requireDatabase(place);
  const database = openDatabase(place, pino({ level: "silent" }));
  try {
    await migrate(database);
    return await rewrapIn(database, input);
  } catch (error) {
    throw explain(error, input.config);
  } finally {
    await database.close();
  }
}

async function rewrapIn(database: Database, input: RewrapInput): Promise<Rewrapped> {
  const { config } = input;
  const keeper = keeperOf(config, database);
  const kept = await findKept(keeper);
  if (kept.length === 0) throw nothingToSeal();
  const isFirst = await isAnyOpen(database, kept);
  await refuseEarlierNodes(database);
  const end = isFirst ? keepServersOut(config) : () => {};
  try {
    // Reports secrets that cannot be opened before a new key is created.
    openAll(await loadKeyRing(config), kept);
    const ring = await loadOrCreateKeyRing(config);
    if (ring.current === null) throw noKey();
    const opened = openAll(ring, kept);
    const secrets = await sealSecrets({ keeper, masterKey: ring.current, opened }, input);
    const session = opened.find(({ name }) => name === SESSION);
    const mails = session === undefined ? 0 : await sealMails(database, session, input);
    const changes = [since("keyId", ring.current.id)];
    const operation = { action: "master_key_rewrapped", changes, now: input.now } as const;
    await database.atomically([operationInsert(database, operation)]);
    // The file still contains the mails in clear.
    if (isFirst && config.database.kind === "sqlite") clearDeleted(config.database.path);
    const mustRestart = isFirst && (await hasLivingNodes(database));
    return { keyId: ring.current.id, secrets, mails, mustRestart };
  } finally {
    end();
  }
}

/**
 * Returns whether any value is in clear. On SQLite that includes a first run that was interrupted before the file was
 * rewritten.
 */
async function isAnyOpen(database: Database, kept: readonly Kept[]): Promise<boolean> {
  if (kept.some(({ stored }) => keyIdOf(stored) === null)) return true;
  return database.engine.name === "sqlite" && (await countOpenMails(database)) > 0;
}

interface OpenedSecret extends Kept {
  readonly text: string;
}

function openAll(ring: KeyRing, kept: readonly Kept[]): readonly OpenedSecret[] {
  return kept.map((secret) => ({ ...secret, text: openKept(ring, secret) }));
}

interface Sealing {
  readonly keeper: SecretKeeper;
  readonly masterKey: MasterKey;
  readonly opened: readonly OpenedSecret[];
}

async function sealSecrets(
  { keeper, masterKey, opened }: Sealing,
  { onProgress }: RewrapInput,
): Promise<number> {
  let sealed = 0;
  for (const [index, { name, stored, text }] of opened.entries()) {
    if (!isSealedWith(masterKey, stored)) {
      const after = sealSecret(masterKey, { text, place: placeOfSecret(name) });
      if (!(await keeper.replace(name, { before: stored, after }))) throw changedMeanwhile();
      sealed += 1;
    }
    onProgress({ phase: "secrets", done: index + 1, total: opened.length });
  }
  return sealed;
}

async function sealMails(
  database: Database,
  session: OpenedSecret,
  { onProgress }: RewrapInput,
): Promise<number> {
  const seal = createRowSeal({ secret: requireSecret(session.text), isSealing: true });
  const total = await countOpenMails(database);
  let done = 0;
  // Mails written meanwhile are left for the next run, so that this one ends.
  while (done < total) {
    const sealed = await sealOpenMails(database, { seal, max: BATCH_MAX });
    if (sealed === 0) break;
    done += sealed;
    onProgress({ phase: "mails", done: Math.min(done, total), total });
  }
  return done;
}

function explain(error: unknown, { database: place }: KeySettings): unknown {
  const sealReason = error instanceof Error ? explainSeal(error) : null;
  if (sealReason !== null) return new OperatorError("master_key", sealReason, error);
  const reason = place.kind === "postgres" ? explainPostgresFailure(error, place) : null;
  return reason === null ? error : new OperatorError("database", reason, error);
}

function nothingToSeal(): OperatorError {
  return new OperatorError(
    "nothing_to_seal",
    "The server has no secrets yet. Its first start makes them, and seals them where a master key is set.",
  );
}

function noKey(): OperatorError {
  return new OperatorError(
    "no_master_key",
    "There is no master key to seal with. Set TOCSIN_MASTER_KEY_FILE to a file with the output of openssl rand -hex 32, the same on every node.",
  );
}

function changedMeanwhile(): OperatorError {
  return new OperatorError(
    "changed",
    "The secrets were changed meanwhile: somebody else seals them too. Run this once more.",
  );
}
