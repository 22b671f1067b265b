import { open, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Config } from "#config/config.ts";
import { copySqliteInThread } from "#database/copy-sqlite-in-thread.ts";
import { getMasterKeyId } from "#secrets/envelope.ts";
import { createFileSecretStore, findStoredSecrets, SECRET_FILES } from "#secrets/secret-store.ts";
import { recordOperation } from "./audit.ts";
import { createDraft, removeAbandonedDrafts } from "./backup-draft.ts";
import { OperatorError } from "./operator-error.ts";
import { formatPostgresAdvice } from "./postgres-backup-advice.ts";

/** The installation to copy, and the clock. */
export interface BackupDeps {
  readonly config: Pick<Config, "dataDir" | "database">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborts the backup, which then removes its draft. */
  readonly signal?: AbortSignal;
  /**
   * Records the backup in the audit log of the source, and returns whether that succeeded. By default, the actor is an
   * operator on the command line.
   */
  readonly record?: () => Promise<boolean>;
}

/** A finished backup. */
export interface Backup {
  /** A complete data folder, which a server can run on. */
  readonly folder: string;
  readonly sizeBytes: number;
  /** Whether the audit log of the source records the backup; false if the source is not writable. */
  readonly isRecorded: boolean;
  /** The id of the master key that seals the secrets, which is not part of the backup; null for unsealed secrets. */
  readonly keyId: string | null;
}

/**
 * Creates a folder with a snapshot of the database and the server's secrets, but without their master key. Servers may
 * run meanwhile. The folder appears complete, checked and flushed to disk, or not at all. Removes drafts of killed
 * backups in the same parent folder. Throws `OperatorError` if the folder exists, if there is no database, and for
 * PostgreSQL, which has its own tools.
 */
export async function createBackup(
  { config, now, signal = new AbortController().signal, record }: BackupDeps,
  folder: string,
): Promise<Backup> {
  const { dataDir, database: source } = config;
  if (source.kind === "postgres")
    throw new OperatorError("use_pg_dump", formatPostgresAdvice(source, folder));
  if (!(await pathExists(source.path))) {
    throw new OperatorError("no_database", `There is no database in ${dataDir}.`);
  }
  if (await pathExists(folder)) throw new OperatorError("exists", `${folder} already exists.`);
  const draft = await createDraft(folder);
  try {
    await removeAbandonedDrafts(dirname(folder), now());
    const copyPath = join(draft.folder, basename(source.path));
    await copySqliteInThread({ sourcePath: source.path, copyPath }, signal);
    const keyId = await copySecrets(dataDir, draft.folder);
    await flush(copyPath);
    await flush(draft.folder);
    const { size } = await stat(copyPath);
    signal.throwIfAborted();
    await rename(draft.folder, folder);
    await flush(dirname(folder));
    const isRecorded = await (record === undefined
      ? recordOperation(source, { action: "backup_made", now })
      : record());
    return { folder, sizeBytes: size, keyId, isRecorded };
  } finally {
    await draft.end();
  }
}

/**
 * Copies the secrets as stored, and returns the id of their master key. Reads each secret only once, because its master
 * key may change.
 */
async function copySecrets(dataDir: string, draftFolder: string): Promise<string | null> {
  let keyId: string | null = null;
  for (const { name, stored } of await findStoredSecrets(createFileSecretStore(dataDir))) {
    keyId ??= getMasterKeyId(stored);
    const text = `${stored}\n`;
    await writeFile(join(draftFolder, SECRET_FILES[name]), text, { mode: 0o600, flush: true });
  }
  return keyId;
}

async function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Flushes a file or folder to disk. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
