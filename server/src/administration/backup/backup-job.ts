import { readdir, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";

/** The dependencies of the backup job. */
export interface BackupJobDeps {
  readonly context: Context;
  /** Path of the SQLite file. */
  readonly databasePath: string;
  /** The parent folder, in which each backup gets a folder of its own. */
  readonly backupsFolder: string;
  /** Creates a folder with a copy of the database and the secrets. Leaves no folder behind if it fails. */
  readonly createBackup: (input: {
    readonly folder: string;
    readonly actor: Actor;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly sizeBytes: number; readonly keyId: string | null }>;
}

/** The state of the latest backup that this process started. All times are milliseconds since the epoch. */
export type BackupState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly folder: string; readonly startedAt: number }
  | {
      readonly kind: "made";
      readonly folder: string;
      readonly sizeBytes: number;
      readonly endedAt: number;
      /** Id of the master key, which is not in the backup; null if the secrets are not sealed. */
      readonly keyId: string | null;
    }
  | { readonly kind: "failed"; readonly endedAt: number; readonly message: string };

/** The folder of a complete backup. */
export interface BackupFolder {
  readonly folder: string;
  /** The size of the database in it. */
  readonly sizeBytes: number;
}

/**
 * Disk space that must stay free after the copy, because the server stops accepting notifications when the disk is
 * full.
 */
const FREE_SPACE_MIN_BYTES = 256 * 1024 * 1024;
const LISTED_BACKUPS_MAX = 50;

/** The job that makes backups, one at a time, and reports their progress. */
export class BackupJob {
  readonly #deps: BackupJobDeps;
  readonly #abortController = new AbortController();
  #state: BackupState = { kind: "none" };
  #runningBackup: Promise<void> = Promise.resolve();

  constructor(deps: BackupJobDeps) {
    this.#deps = deps;
  }

  get state(): BackupState {
    return this.#state;
  }

  /** Starts a backup. Throws `conflict` if one is running, or if there is not enough disk space. */
  async start(actor: Actor): Promise<void> {
    const { context, backupsFolder } = this.#deps;
    if (this.#state.kind === "running") throw createConflictError("A backup is already running.");
    const startedAt = context.now();
    const folder = join(backupsFolder, formatFolderName(startedAt));
    // Set before the first await, because two requests may arrive concurrently.
    this.#state = { kind: "running", folder, startedAt };
    try {
      await this.#requireDiskSpace();
    } catch (error) {
      this.#state = { kind: "none" };
      throw error;
    }
    this.#runningBackup = this.#run(folder, actor);
  }

  /** Aborts a running backup and removes its files. */
  async stop(): Promise<void> {
    this.#abortController.abort();
    await this.#runningBackup;
  }

  /** Returns the sizes of the running copy, 0 without one, and of the database. The finished copy may be smaller. */
  async measureProgress(): Promise<{ readonly copiedBytes: number; readonly totalBytes: number }> {
    const totalBytes = await readSize(this.#deps.databasePath);
    if (this.#state.kind !== "running") return { copiedBytes: 0, totalBytes };
    const { folder } = this.#state;
    const partialCopies = (await listNames(dirname(folder))).filter(
      (name) => name.startsWith(`${basename(folder)}.`) && name.endsWith(".part"),
    );
    const file = basename(this.#deps.databasePath);
    const sizes = partialCopies.map((name) => readSize(join(dirname(folder), name, file)));
    return { copiedBytes: Math.max(0, ...(await Promise.all(sizes))), totalBytes };
  }

  /** Returns the newest 50 backups in the folder, newest first. */
  async listBackups(): Promise<readonly BackupFolder[]> {
    const { backupsFolder, databasePath } = this.#deps;
    const names = (await listNames(backupsFolder)).filter((name) => FOLDER_NAME_PATTERN.test(name));
    const newestNames = names.toSorted().toReversed().slice(0, LISTED_BACKUPS_MAX);
    return Promise.all(
      newestNames.map(async (name) => {
        const folder = join(backupsFolder, name);
        return { folder, sizeBytes: await readSize(join(folder, basename(databasePath))) };
      }),
    );
  }

  /** Makes a backup and stores its result as the state. Never rejects. */
  async #run(folder: string, actor: Actor): Promise<void> {
    const { context, createBackup } = this.#deps;
    try {
      const backup = await createBackup({ folder, actor, signal: this.#abortController.signal });
      this.#state = { kind: "made", folder, ...backup, endedAt: context.now() };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#state = { kind: "failed", endedAt: context.now(), message };
      context.log.error({ err: error }, "the backup failed");
    }
  }

  async #requireDiskSpace(): Promise<void> {
    const { databasePath } = this.#deps;
    const [databaseBytes, disk] = await Promise.all([
      readSize(databasePath),
      statfs(dirname(databasePath)),
    ]);
    if (disk.bavail * disk.bsize >= databaseBytes + FREE_SPACE_MIN_BYTES) return;
    throw createConflictError(
      "There is not enough disk space for a backup. Free some space, or run tocsin backup to another disk.",
    );
  }
}

const FOLDER_NAME_PATTERN = /^tocsin-\d{4}-\d\d-\d\dT\d{6}Z$/;

/** Returns a name that sorts by time and is valid on every file system. */
function formatFolderName(startedAt: number): string {
  return `tocsin-${new Date(startedAt).toISOString().slice(0, 19).replaceAll(":", "")}Z`;
}

async function listNames(folder: string): Promise<readonly string[]> {
  // The folder does not exist before the first backup.
  return readdir(folder).catch(() => []);
}

async function readSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    // The file may just have been renamed or removed.
    () => 0,
  );
}

function createConflictError(message: string): AppError {
  return new AppError("conflict", message);
}
