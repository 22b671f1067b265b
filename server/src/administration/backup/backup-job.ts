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
  readonly parent: string;
  /** Creates a folder with a copy of the database and the secrets, or nothing if it fails. */
  readonly makeBackup: (input: {
    readonly folder: string;
    readonly actor: Actor;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly sizeBytes: number; readonly keyId: string | null }>;
}

/** The state of the latest backup started in the console. All times are milliseconds since the epoch. */
export type BackupState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly folder: string; readonly startedAt: number }
  | {
      readonly kind: "made";
      readonly folder: string;
      readonly sizeBytes: number;
      readonly at: number;
      /** Id of the master key, which is not in the backup; null if the secrets are not sealed. */
      readonly keyId: string | null;
    }
  | { readonly kind: "failed"; readonly at: number; readonly message: string };

/** The folder of a complete backup. */
export interface BackupFolder {
  readonly folder: string;
  readonly sizeBytes: number;
}

/**
 * Disk space that must stay free after the copy, because the server stops accepting notifications when the disk is
 * full.
 */
const SPARE_BYTES = 256 * 1024 * 1024;
const LISTED_MAX = 50;

/** Runs one backup at a time and reports its progress. */
export class BackupJob {
  readonly #deps: BackupJobDeps;
  readonly #stopping = new AbortController();
  #state: BackupState = { kind: "none" };
  #running: Promise<void> = Promise.resolve();

  constructor(deps: BackupJobDeps) {
    this.#deps = deps;
  }

  get state(): BackupState {
    return this.#state;
  }

  /** Starts a backup. Throws `conflict` if one is running, or if there is not enough disk space. */
  async start(actor: Actor): Promise<void> {
    const { context, parent } = this.#deps;
    if (this.#state.kind === "running") throw conflictError("A backup is already running.");
    const startedAt = context.now();
    const folder = join(parent, folderName(startedAt));
    // Set before the first await, because two requests may arrive concurrently.
    this.#state = { kind: "running", folder, startedAt };
    try {
      await this.#requireDiskSpace();
    } catch (error) {
      this.#state = { kind: "none" };
      throw error;
    }
    this.#running = this.#run(folder, actor);
  }

  /** Aborts a running backup and removes its files. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Returns the current size of the copy, and the size of the database. The finished copy may be smaller. */
  async progress(): Promise<{ readonly copiedBytes: number; readonly totalBytes: number }> {
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
  async made(): Promise<readonly BackupFolder[]> {
    const { parent, databasePath } = this.#deps;
    const names = (await listNames(parent)).filter((name) => NAME.test(name));
    const newest = names.toSorted().toReversed().slice(0, LISTED_MAX);
    return Promise.all(
      newest.map(async (name) => {
        const folder = join(parent, name);
        return { folder, sizeBytes: await readSize(join(folder, basename(databasePath))) };
      }),
    );
  }

  /** Never rejects. */
  async #run(folder: string, actor: Actor): Promise<void> {
    const { context, makeBackup } = this.#deps;
    try {
      const backup = await makeBackup({ folder, actor, signal: this.#stopping.signal });
      this.#state = { kind: "made", folder, ...backup, at: context.now() };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#state = { kind: "failed", at: context.now(), message };
      context.log.error({ err: error }, "the backup failed");
    }
  }

  async #requireDiskSpace(): Promise<void> {
    const { databasePath } = this.#deps;
    const [databaseBytes, disk] = await Promise.all([
      readSize(databasePath),
      statfs(dirname(databasePath)),
    ]);
    if (disk.bavail * disk.bsize >= databaseBytes + SPARE_BYTES) return;
    throw conflictError(
      "There is not enough disk space for a backup. Free some space, or run tocsin backup to another disk.",
    );
  }
}

const NAME = /^tocsin-\d{4}-\d\d-\d\dT\d{6}Z$/;

/** The name sorts by time and is valid on every file system. */
function folderName(time: number): string {
  return `tocsin-${new Date(time).toISOString().slice(0, 19).replaceAll(":", "")}Z`;
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

function conflictError(message: string): AppError {
  return new AppError("conflict", message);
}
