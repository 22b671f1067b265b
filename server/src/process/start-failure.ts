import type { Config } from "#config/config.ts";
import { LaterVersionError } from "#database/migration.ts";
import { explainPostgresFailure } from "#database/postgres-failure.ts";
import { DamagedSealError } from "#secrets/envelope.ts";
import { MissingKeyError } from "#secrets/key-ring.ts";
import { listCauses } from "#errors.ts";
import { DamagedKeyFileError } from "#secrets/load-key-ring.ts";

/** The settings that an explanation may name. */
export type StartSettings = Pick<Config, "host" | "port" | "dataDir"> &
  Partial<Pick<Config, "database">>;

/**
 * Returns one line with the reason why nothing can start with this configuration, and the fix; null if the error has
 * nothing to do with the environment.
 */
export function explainStartFailure(error: unknown, settings: StartSettings): string | null {
  for (const cause of listCauses(error)) {
    const reason =
      explainLaterVersion(cause) ??
      explainSealError(cause) ??
      explainDatabase(cause, settings) ??
      explainSystem(cause, settings) ??
      explainSqlite(cause, settings);
    if (reason !== null) return reason;
  }
  return null;
}

function explainLaterVersion(error: Error): string | null {
  if (!(error instanceof LaterVersionError)) return null;
  return "A later version of Tocsin has changed the database. Run that version or a later one, or restore a backup from before.";
}

/** Returns why secrets cannot be opened, and the fix; null for any other error. */
export function explainSealError(error: Error): string | null {
  const isSealError =
    error instanceof MissingKeyError ||
    error instanceof DamagedSealError ||
    error instanceof DamagedKeyFileError;
  return isSealError ? error.message : null;
}

function explainDatabase(error: Error, { database }: StartSettings): string | null {
  return database?.kind === "postgres" ? explainPostgresFailure(error, database) : null;
}

function explainSystem(error: Error, { host, port, dataDir }: StartSettings): string | null {
  // The type's fields are optional, so any error has it.
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "listen" || syscall === "getaddrinfo") {
    if (code === "EADDRINUSE") {
      return `Port ${port} of ${host} is in use. Stop the program that listens there, or set TOCSIN_PORT.`;
    }
    if (code === "EACCES") {
      return `This user may not listen on port ${port}. Set TOCSIN_PORT to 1024 or above.`;
    }
    return `This machine has no address ${host} to listen on. Set TOCSIN_HOST to one it has.`;
  }
  return FOLDER_EXPLANATIONS[code ?? ""]?.(dataDir) ?? null;
}

const FOLDER_EXPLANATIONS: Readonly<Record<string, (dataDir: string) => string>> = {
  EACCES: explainNotWritable,
  EPERM: explainNotWritable,
  EROFS: explainNotWritable,
  EEXIST: explainNotFolder,
  ENOTDIR: explainNotFolder,
  ENOSPC: explainDiskFull,
  EDQUOT: explainDiskFull,
};

/** Primary result codes of SQLite: sqlite.org/rescode.html. */
const SQLITE_CODES = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
} as const;
/** The primary result code is the lowest byte of an extended one. */
const PRIMARY_CODE_MASK = 0xff;

/** Explains an error of SQLite by its primary result code. */
function explainSqlite(error: Error, { dataDir }: StartSettings): string | null {
  if (!("errcode" in error)) return null;
  switch (Number(error.errcode) & PRIMARY_CODE_MASK) {
    case SQLITE_CODES.busy:
    case SQLITE_CODES.locked:
      return `Another Tocsin server runs on the data folder ${dataDir}. Stop it, or set TOCSIN_DATA_DIR.`;
    case SQLITE_CODES.readOnly:
    case SQLITE_CODES.inputOutput:
    case SQLITE_CODES.cannotOpen:
      return explainNotWritable(dataDir);
    case SQLITE_CODES.corrupt:
    case SQLITE_CODES.notDatabase:
      return `The database in ${dataDir} is damaged. Restore a backup, or set TOCSIN_DATA_DIR.`;
    case SQLITE_CODES.full:
      return explainDiskFull(dataDir);
    default:
      return null;
  }
}

function explainNotWritable(dataDir: string): string {
  return `The data folder ${dataDir} cannot be written by this user. Correct its permissions, or set TOCSIN_DATA_DIR.`;
}

function explainNotFolder(dataDir: string): string {
  return `The data folder ${dataDir} is not a folder. Set TOCSIN_DATA_DIR to one.`;
}

function explainDiskFull(dataDir: string): string {
  return `The disk that holds ${dataDir} is full. Free some space, or set TOCSIN_DATA_DIR.`;
}
