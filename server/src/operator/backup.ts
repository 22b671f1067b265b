import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Config } from "#config.ts";
import { copySqlite } from "#database/copy-sqlite.ts";
import { keyIdOf } from "#sealing/envelope.ts";
import { fileKeeper, findKept, SECRET_FILES } from "../secret-keeper.ts";
import { recordOperation } from "./audit.ts";
import { OperatorError } from "./operator-error.ts";
import { placeText } from "./place.ts";

/** What is copied, and when. */
export interface BackupDeps {
  readonly config: Pick<Config, "dataDir" | "database">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What a backup holds. */
export interface Backup {
  /** A data folder: a server may run on it as it is. */
  readonly folder: string;
  readonly sizeBytes: number;
  /** The audit log of the source tells of it; false where that cannot be written. */
  readonly isRecorded: boolean;
  /** The id of the master key that its secrets are sealed with, which is not in it; null where they are not sealed. */
  readonly keyId: string | null;
}

/**
 * Makes a folder with a copy of the database, as it is at this moment, and the server's secrets, without the master key
 * that they may be sealed with; servers may run meanwhile. The folder is there whole, checked and on the disk, or not at
 * all. Throws `OperatorError` where it is there already, and for PostgreSQL, which has its own tools.
 */
export async function backup({ config, now }: BackupDeps, folder: string): Promise<Backup> {
  const { dataDir, database: place } = config;
  if (place.kind === "postgres") throw useTools(placeText(place), folder);
  if (!(await exists(place.path))) {
    throw new OperatorError("no_database", `There is no database in ${dataDir}.`);
  }
  if (await exists(folder)) throw new OperatorError("exists", `${folder} is there already.`);
  const draft = `${folder}.${randomBytes(6).toString("hex")}.part`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const copy = join(draft, basename(place.path));
    copySqlite(place.path, copy);
    const keyId = await copySecrets(dataDir, draft);
    await flush(copy);
    await flush(draft);
    const { size } = await stat(copy);
    await rename(draft, folder);
    await flush(dirname(folder));
    const isRecorded = await recordOperation(place, { action: "backup_made", now });
    return { folder, sizeBytes: size, keyId, isRecorded };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Copies the secrets as they are stored, each read once, and returns the id of the master key that they need. */
async function copySecrets(dataDir: string, draft: string): Promise<string | null> {
  let keyId: string | null = null;
  for (const { name, stored } of await findKept(fileKeeper(dataDir))) {
    keyId ??= keyIdOf(stored);
    // Another master key may take its place at this moment.
    const text = `${stored}\n`;
    await writeFile(join(draft, SECRET_FILES[name]), text, { mode: 0o600, flush: true });
  }
  return keyId;
}

function useTools(url: string, file: string): OperatorError {
  const lines = [
    "PostgreSQL has its own tools for backups, which take everything as it is at one moment:",
    `  pg_dump --format=custom --file='${file.replaceAll("'", "'\\''")}' '${url}'`,
    "  pg_restore --dbname=URL_OF_AN_EMPTY_DATABASE FILE",
    "The password is asked for, or read from PGPASSWORD. The server's secrets are in the database;",
    "the master key that seals them is not. Keep a copy of it in another place.",
  ];
  return new OperatorError("use_pg_dump", lines.join("\n"));
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
