import { pino } from "pino";
import { requireSessionSecret } from "#secrets/session-secret.ts";
import { toChangedValue } from "#audit/event.ts";
import { countUnsealedSecrets, sealUnsealedSecrets } from "#callbacks/store/secrets.ts";
import { vacuumSqlite } from "#database/vacuum-sqlite.ts";
import type { Database } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { openDatabase } from "#database/open.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { countUnsealedMails, sealUnsealedMails } from "#mail/store/outbox.ts";
import { hasLivingNodes } from "#nodes/store.ts";
import { isSealedWith, getMasterKeyId, sealSecret } from "#secrets/envelope.ts";
import type { KeyRing } from "#secrets/key-ring.ts";
import type { MasterKey } from "#secrets/master-key.ts";
import { createRowSeal, type RowSeal } from "#secrets/row-seal.ts";
import { loadKeyRing, loadOrCreateKeyRing, type KeySettings } from "#secrets/load-key-ring.ts";
import {
  findStoredSecrets,
  createSecretStore,
  getSecretLocation,
  SESSION_SECRET,
  type StoredSecret,
  type SecretStore,
} from "#secrets/secret-store.ts";
import { openStoredSecret } from "#secrets/secrets.ts";
import { explainSealError } from "#process/start-failure.ts";
import { toOperationInsert } from "./audit.ts";
import { lockServersOut, refuseEarlierNodes } from "./sealing-guards.ts";
import { OperatorError } from "./operator-error.ts";
import { requireDatabase } from "./require-database.ts";

/** The keys and the database to work on, the clock, and a progress callback. */
export interface RewrapInput {
  readonly config: KeySettings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after each secret of the server and each batch of rows. */
  readonly onProgress: (progress: RewrapProgress) => void;
}

/** The progress of one phase of a run. */
export interface RewrapProgress {
  readonly phase: "secrets" | "mails" | "callback secrets";
  /** Number of processed secrets or rows. */
  readonly done: number;
  readonly total: number;
}

/** The result of a run, after which no other master key is needed. */
export interface RewrapResult {
  /** The id of the master key. */
  readonly keyId: string;
  /** Number of secrets that were sealed. The others were already sealed with this key in the current format. */
  readonly secrets: number;
  /** Number of queued emails that were sealed. */
  readonly mails: number;
  /** Number of callback secrets that were sealed. */
  readonly callbackSecrets: number;
  /** True if running servers write unsealed rows until they are restarted. */
  readonly mustRestart: boolean;
}

/** The maximum number of rows sealed in one transaction. */
const BATCH_MAX = 100;

/**
 * Seals the server's secrets, queued mails and callback secrets with the current master key. Safe to interrupt and to
 * repeat. Servers may run meanwhile, except nodes of an earlier version on PostgreSQL, and any server on SQLite during
 * the first sealing. Throws `OperatorError`.
 */
export async function rewrap(input: RewrapInput): Promise<RewrapResult> {
  const { database: location } = input.config;
  await requireDatabase(location);
  const database = openDatabase(location, pino({ level: "silent" }));
  try {
    await migrate(database);
    return await rewrapDatabase(database, input);
  } catch (error) {
    throw toReportedError(error, input.config);
  } finally {
    await database.close();
  }
}

async function rewrapDatabase(database: Database, input: RewrapInput): Promise<RewrapResult> {
  const { config } = input;
  const store = createSecretStore(config, database);
  const storedSecrets = await findStoredSecrets(store);
  if (storedSecrets.length === 0) throw createNothingToSealError();
  const isFirstSealing = await hasUnsealedValue(database, storedSecrets);
  await refuseEarlierNodes(database);
  const letServersStart = isFirstSealing ? lockServersOut(config) : () => {};
  try {
    // Fails for secrets that cannot be opened, before a new key is created.
    openSecrets(await loadKeyRing(config), storedSecrets);
    const ring = await loadOrCreateKeyRing(config);
    if (ring.current === null) throw createNoMasterKeyError();
    const openedSecrets = openSecrets(ring, storedSecrets);
    const secrets = await sealSecrets({ store, masterKey: ring.current, openedSecrets }, input);
    const sessionSecret = openedSecrets.find(({ name }) => name === SESSION_SECRET);
    const seal = sessionSecret === undefined ? null : createSeal(sessionSecret);
    const mails = seal === null ? 0 : await sealRows(MAILS, { database, seal, input });
    const callbackSecrets =
      seal === null ? 0 : await sealRows(CALLBACK_SECRETS, { database, seal, input });
    const changes = [toChangedValue("keyId", ring.current.id)];
    const operation = { action: "master_key_rewrapped", changes, now: input.now } as const;
    await database.atomically([toOperationInsert(database, operation)]);
    // Unused pages of the file still contain the unsealed rows.
    if (isFirstSealing && config.database.kind === "sqlite") vacuumSqlite(config.database.path);
    // Nodes that started before the first sealing write unsealed rows. An earlier, interrupted run may have been the
    // first.
    const mayHaveOldNodes = isFirstSealing || mails + callbackSecrets > 0;
    const mustRestart = mayHaveOldNodes && (await hasLivingNodes(database));
    return { keyId: ring.current.id, secrets, mails, callbackSecrets, mustRestart };
  } finally {
    letServersStart();
  }
}

/**
 * Returns whether a secret is unsealed. On SQLite, an unsealed row counts too: an interrupted first run may have left
 * some.
 */
async function hasUnsealedValue(
  database: Database,
  secrets: readonly StoredSecret[],
): Promise<boolean> {
  if (secrets.some(({ stored }) => getMasterKeyId(stored) === null)) return true;
  if (database.engine.name !== "sqlite") return false;
  const counts = await Promise.all([MAILS, CALLBACK_SECRETS].map(({ count }) => count(database)));
  return counts.some((count) => count > 0);
}

/** A stored secret with its unsealed text. */
interface OpenedSecret extends StoredSecret {
  readonly text: string;
}

function openSecrets(ring: KeyRing, secrets: readonly StoredSecret[]): readonly OpenedSecret[] {
  return secrets.map((secret) => ({ ...secret, text: openStoredSecret(ring, secret) }));
}

/** The opened secrets, the key to seal them with, and their store. */
interface SealInput {
  readonly store: SecretStore;
  readonly masterKey: MasterKey;
  readonly openedSecrets: readonly OpenedSecret[];
}

async function sealSecrets(
  { store, masterKey, openedSecrets }: SealInput,
  { onProgress }: RewrapInput,
): Promise<number> {
  let sealedCount = 0;
  for (const [index, { name, stored, text }] of openedSecrets.entries()) {
    if (!isSealedWith(masterKey, stored)) {
      const newValue = sealSecret(masterKey, { text, location: getSecretLocation(name) });
      if (!(await store.replace(name, { before: stored, after: newValue })))
        throw createSecretsChangedError();
      sealedCount += 1;
    }
    onProgress({ phase: "secrets", done: index + 1, total: openedSecrets.length });
  }
  return sealedCount;
}

/** A kind of rows with a sealed column. */
interface SealedRows {
  readonly phase: RewrapProgress["phase"];
  /** Returns the number of unsealed rows. */
  readonly count: (database: Database) => Promise<number>;
  /** Seals up to `max` unsealed rows; returns the numbers of read and of sealed rows. */
  readonly seal: typeof sealUnsealedMails;
}

const MAILS: SealedRows = { phase: "mails", count: countUnsealedMails, seal: sealUnsealedMails };
const CALLBACK_SECRETS: SealedRows = {
  phase: "callback secrets",
  count: countUnsealedSecrets,
  seal: sealUnsealedSecrets,
};

function createSeal({ text }: OpenedSecret): RowSeal {
  return createRowSeal({ secret: requireSessionSecret(text), isSealing: true });
}

async function sealRows(
  { phase, count, seal: sealBatch }: SealedRows,
  {
    database,
    seal,
    input: { onProgress },
  }: { readonly database: Database; readonly seal: RowSeal; readonly input: RewrapInput },
): Promise<number> {
  const total = await count(database);
  let processedCount = 0;
  let sealedCount = 0;
  // Leaves rows that are written meanwhile to the next run, so that this run ends.
  while (processedCount < total) {
    const batch = await sealBatch(database, { seal, max: BATCH_MAX });
    if (batch.readCount === 0) break;
    processedCount += batch.readCount;
    sealedCount += batch.sealedCount;
    onProgress({ phase, done: Math.min(processedCount, total), total });
  }
  return sealedCount;
}

function toReportedError(error: unknown, { database: location }: KeySettings): unknown {
  const explanation = error instanceof Error ? explainSealError(error) : null;
  if (explanation !== null) return new OperatorError("master_key", explanation, error);
  const reason = location.kind === "postgres" ? explainPostgresFailure(error, location) : null;
  return reason === null ? error : new OperatorError("database", reason, error);
}

function createNothingToSealError(): OperatorError {
  return new OperatorError(
    "nothing_to_seal",
    "The server has no secrets yet. Its first start creates them, and seals them if a master key is set.",
  );
}

function createNoMasterKeyError(): OperatorError {
  return new OperatorError(
    "no_master_key",
    "There is no master key to seal with. Set TOCSIN_MASTER_KEY_FILE to a file with the output of openssl rand -hex 32, the same on every node.",
  );
}

function createSecretsChangedError(): OperatorError {
  return new OperatorError(
    "changed",
    "The secrets were changed meanwhile: another process is sealing them too. Run the command again.",
  );
}
