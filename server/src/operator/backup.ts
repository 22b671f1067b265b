import { open, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Config } from "#config/config.ts";
import { copySqliteApart } from "#database/copy-sqlite-apart.ts";
import { keyIdOf } from "#secrets/envelope.ts";
import { fileKeeper, findKept, SECRET_FILES } from "#secrets/secret-keeper.ts";
import { recordOperation } from "./audit.ts";
import { beginDraft, removeLeftDrafts } from "./draft.ts";
import { OperatorError } from "./operator-error.ts";
import { postgresAdvice } from "./postgres-advice.ts";

/** The source to copy, and the clock. */
export interface BackupDeps {
  readonly config: Pick<Config, "dataDir" | "database">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborts the backup, which then leaves nothing behind. */
  readonly signal?: AbortSignal;
  /**
   * Records the backup in the audit log of the source, and returns whether that succeeded; the default records an
   * operator on the command line.
   */
  readonly record?: () => Promise<boolean>;
}

/** A finished backup. */
export interface Backup {
  /** A data folder: a server can run on it as it is. */
  readonly folder: string;
  readonly sizeBytes: number;
  /** Recorded in the audit log of the source; false if that cannot be written. */
  readonly isRecorded: boolean;
  /** The id of the master key that its secrets are sealed with, which is not in it; null if they are not sealed. */
  readonly keyId: string | null;
}

/**
 * Creates a folder with a copy of the database, as it is at this moment, and the server's secrets, without the master
 * key that they may be sealed with; servers may run meanwhile. The folder appears complete, checked and flushed to
 * disk, or not at all; remains of a killed backup beside it are removed. Throws `OperatorError` if the folder exists,
 * and for PostgreSQL, which has its own tools.
 */
export async function backup(
  { config, now, signal = new AbortController().signal, record }: BackupDeps,
  folder: string,
): Promise<Backup> {
  const { dataDir, database: place } = config;
  if (place.kind === "postgres")
    throw new OperatorError("use_pg_dump", postgresAdvice(place, folder));
  if (!(await exists(place.path))) {
    throw new OperatorError("no_database", `There is no database in ${dataDir}.`);
  }
  if (await exists(folder)) throw new OperatorError("exists", `${folder} is there already.`);
  const draft = await beginDraft(folder);
  try {
    await removeLeftDrafts(dirname(folder), now());
    const copy = join(draft.folder, basename(place.path));
    await copySqliteApart({ path: place.path, copy }, signal);
    const keyId = await copySecrets(dataDir, draft.folder);
    await flush(copy);
    await flush(draft.folder);
    const { size } = await stat(copy);
    signal.throwIfAborted();
    await rename(draft.folder, folder);
    await flush(dirname(folder));
    const isRecorded = await (record === undefined
      ? recordOperation(place, { action: "backup_made", now })
      : record());
    return { folder, sizeBytes: size, keyId, isRecorded };
  } finally {
    await draft.end();
  }
}

/** Copies the secrets as they are stored, each read once, and returns the id of the master key that they need. */
async function copySecrets(dataDir: string, draft: string): Promise<string | null> {
  let keyId: string | null = null;
  for (const { name, stored } of await findKept(fileKeeper(dataDir))) {
    keyId ??= keyIdOf(stored);
    // The master key may be replaced at this moment.
    const text = `${stored}\n`;
    await writeFile(join(draft, SECRET_FILES[name]), text, { mode: 0o600, flush: true });
  }
  return keyId;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Waits until a file or folder is on the disk. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
