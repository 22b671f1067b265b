import { readdir, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";

/** The dependencies of backups made while the server runs. */
export interface BackupJobDeps {
  readonly context: Context;
  /** The SQLite file, and the parent folder of the backups. */
  readonly databasePath: string;
  readonly parent: string;
  /** Creates a folder with a copy of the database and the secrets, completely or not at all. */
  readonly makeBackup: (input: {
    readonly folder: string;
    readonly by: Actor;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly sizeBytes: number; readonly keyId: string | null }>;
}

/** The state of the last backup made from the console; moments in milliseconds since the epoch. */
export type BackupState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly folder: string; readonly startedAt: number }
  | {
      readonly kind: "made";
      readonly folder: string;
      readonly sizeBytes: number;
      readonly at: number;
      /** The id of the master key, which is not in it; null if nothing is sealed. */
      readonly keyId: string | null;
    }
  | { readonly kind: "failed"; readonly at: number; readonly message: string };

/** A complete, existing backup. */
export interface MadeBackup {
  readonly folder: string;
  readonly sizeBytes: number;
}

/** Disk space that must stay free beyond the copy, or the server would soon stop accepting notifications. */
const SPARE_BYTES = 256 * 1024 * 1024;
const TOLD_MAX = 50;

/** Makes one backup at a time, and reports its progress. */
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

  /** Starts a backup; throws `conflict` if one is running, or if the disk has no room for it. */
  async start(by: Actor): Promise<void> {
    const { context, parent } = this.#deps;
    if (this.#state.kind === "running") throw conflict("A backup is already running.");
    const startedAt = context.now();
    const folder = join(parent, nameAt(startedAt));
    // Set before the first await: two requests may arrive together.
    this.#state = { kind: "running", folder, startedAt };
    try {
      await this.#requireRoom();
    } catch (error) {
      this.#state = { kind: "none" };
      throw error;
    }
    this.#running = this.#run(folder, by);
  }

  /** Aborts a running backup, and removes all of it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Returns the size of the copy so far, and that of the database; the finished copy may be smaller. */
  async progress(): Promise<{ readonly copiedBytes: number; readonly totalBytes: number }> {
    const totalBytes = await sizeOf(this.#deps.databasePath);
    if (this.#state.kind !== "running") return { copiedBytes: 0, totalBytes };
    const { folder } = this.#state;
    const drafts = (await namesIn(dirname(folder))).filter(
      (name) => name.startsWith(`${basename(folder)}.`) && name.endsWith(".part"),
    );
    const file = basename(this.#deps.databasePath);
    const sizes = drafts.map((name) => sizeOf(join(dirname(folder), name, file)));
    return { copiedBytes: Math.max(0, ...(await Promise.all(sizes))), totalBytes };
  }

  /** Returns the backups made here that still exist, newest first, at most 50. */
  async made(): Promise<readonly MadeBackup[]> {
    const { parent, databasePath } = this.#deps;
    const names = (await namesIn(parent)).filter((name) => NAME.test(name));
    const newest = names.toSorted().toReversed().slice(0, TOLD_MAX);
    return Promise.all(
      newest.map(async (name) => {
        const folder = join(parent, name);
        return { folder, sizeBytes: await sizeOf(join(folder, basename(databasePath))) };
      }),
    );
  }

  /** Never rejects. */
  async #run(folder: string, by: Actor): Promise<void> {
    const { context, makeBackup } = this.#deps;
    try {
      const made = await makeBackup({ folder, by, signal: this.#stopping.signal });
      this.#state = { kind: "made", folder, ...made, at: context.now() };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#state = { kind: "failed", at: context.now(), message };
      context.log.error({ err: error }, "a backup could not be made");
    }
  }

  async #requireRoom(): Promise<void> {
    const { databasePath } = this.#deps;
    const [needed, disk] = await Promise.all([sizeOf(databasePath), statfs(dirname(databasePath))]);
    if (disk.bavail * disk.bsize >= needed + SPARE_BYTES) return;
    throw conflict(
      "The disk has no room for a backup. Free some space, or run tocsin backup to another disk.",
    );
  }
}

const NAME = /^tocsin-\d{4}-\d\d-\d\dT\d{6}Z$/;

/** Sorts by time, and is valid on every file system. */
function nameAt(time: number): string {
  return `tocsin-${new Date(time).toISOString().slice(0, 19).replaceAll(":", "")}Z`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  // The folder does not exist before the first backup.
  return readdir(folder).catch(() => []);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    // The file may be renamed or removed at this moment.
    () => 0,
  );
}

function conflict(message: string): AppError {
  return new AppError("conflict", message);
}
