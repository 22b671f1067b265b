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
import { lockOutServers, refuseEarlierNodes } from "./begin-sealing.ts";
import { OperatorError } from "./operator-error.ts";
import { requireDatabase } from "./require-database.ts";

/** The keys and the database to work on, the clock, and a progress callback. */
export interface RewrapInput {
  readonly config: KeySettings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after each secret and each batch of mails. */
  readonly onProgress: (progress: RewrapProgress) => void;
}

/** How many secrets or mails of a run are done. */
export interface RewrapProgress {
  readonly phase: "secrets" | "mails";
  readonly done: number;
  readonly total: number;
}

/** The result of a run, after which no other master key is needed. */
export interface Rewrapped {
  /** The id of the master key. */
  readonly keyId: string;
  /** Number of secrets that were sealed. The others already were, with this key and in the current form. */
  readonly secrets: number;
  /** Number of queued mails that were sealed. */
  readonly mails: number;
  /** True if servers run that write unsealed mails until they are restarted. */
  readonly mustRestart: boolean;
}

/** The maximum number of mails sealed in one transaction. */
const BATCH_MAX = 100;

/**
 * Seals the server's secrets and queued mails with the current master key. Safe to interrupt and to repeat. Servers may
 * run meanwhile, except nodes of an earlier version on PostgreSQL, and any server on SQLite during the first sealing.
 * Throws `OperatorError`.
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
  const storedSecrets = await findKept(keeper);
  if (storedSecrets.length === 0) throw nothingToSeal();
  const isFirstSealing = await hasUnsealed(database, storedSecrets);
  await refuseEarlierNodes(database);
  const allowServers = isFirstSealing ? lockOutServers(config) : () => {};
  try {
    // Fails for secrets that cannot be opened, before a new key is created.
    openSecrets(await loadKeyRing(config), storedSecrets);
    const ring = await loadOrCreateKeyRing(config);
    if (ring.current === null) throw noKey();
    const opened = openSecrets(ring, storedSecrets);
    const secrets = await sealSecrets({ keeper, masterKey: ring.current, opened }, input);
    const session = opened.find(({ name }) => name === SESSION);
    const mails = session === undefined ? 0 : await sealMails(database, session, input);
    const changes = [since("keyId", ring.current.id)];
    const operation = { action: "master_key_rewrapped", changes, now: input.now } as const;
    await database.atomically([operationInsert(database, operation)]);
    // Deleted pages of the file still contain the unsealed mails.
    if (isFirstSealing && config.database.kind === "sqlite") clearDeleted(config.database.path);
    const mustRestart = isFirstSealing && (await hasLivingNodes(database));
    return { keyId: ring.current.id, secrets, mails, mustRestart };
  } finally {
    allowServers();
  }
}

/** Returns whether any value is unsealed. On SQLite, an interrupted first run may have left unsealed mails. */
async function hasUnsealed(database: Database, secrets: readonly Kept[]): Promise<boolean> {
  if (secrets.some(({ stored }) => keyIdOf(stored) === null)) return true;
  return database.engine.name === "sqlite" && (await countOpenMails(database)) > 0;
}

interface OpenedSecret extends Kept {
  readonly text: string;
}

function openSecrets(ring: KeyRing, secrets: readonly Kept[]): readonly OpenedSecret[] {
  return secrets.map((secret) => ({ ...secret, text: openKept(ring, secret) }));
}

interface SealInput {
  readonly keeper: SecretKeeper;
  readonly masterKey: MasterKey;
  readonly opened: readonly OpenedSecret[];
}

async function sealSecrets(
  { keeper, masterKey, opened }: SealInput,
  { onProgress }: RewrapInput,
): Promise<number> {
  let sealed = 0;
  for (const [index, { name, stored, text }] of opened.entries()) {
    if (!isSealedWith(masterKey, stored)) {
      const newValue = sealSecret(masterKey, { text, place: placeOfSecret(name) });
      if (!(await keeper.replace(name, { before: stored, after: newValue })))
        throw changedMeanwhile();
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
  // Leaves mails that are written meanwhile to the next run, so that this run ends.
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
