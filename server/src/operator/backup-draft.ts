import { randomBytes } from "node:crypto";
import { access, mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { lockInstance } from "#database/instance-lock.ts";
import { DATA_FILES } from "#process/data-folder.ts";

/** A temporary folder for a backup, in the same parent folder as the target. */
export interface BackupDraft {
  readonly folder: string;
  /** Removes the draft and its lock. Keeps a draft that was renamed to the target. */
  end(): Promise<void>;
}

/** The number of random bytes in the name of a draft, which has two hexadecimal digits for each. */
const DRAFT_ID_BYTES = 6;
const DRAFT_NAME_PATTERN = /\.[0-9a-f]{12}\.part$/;
const LOCK_SUFFIX = ".lock";
/** The age at which a draft without a lock, from an earlier version, counts as abandoned. */
const UNLOCKED_DRAFT_AGE_MAX_MS = 24 * 3_600_000;

/** Creates a private draft. Its lock shows other processes that it is still being written. */
export async function createDraft(target: string): Promise<BackupDraft> {
  const folder = `${target}.${randomBytes(DRAFT_ID_BYTES).toString("hex")}.part`;
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const lockPath = folder + LOCK_SUFFIX;
  const unlock = lockInstance(lockPath);
  const end = async () => {
    await removeFolder(folder);
    unlock();
    await removeLock(lockPath);
  };
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    await end();
    throw error;
  }
  return { folder, end };
}

/**
 * Removes the drafts in `parentFolder` that no process is writing any more, for example because their process was
 * killed. `now` is in milliseconds since the epoch.
 */
export async function removeAbandonedDrafts(parentFolder: string, now: number): Promise<void> {
  const names = await readdir(parentFolder);
  const draftNames = names
    .map((name) => name.replace(/\.lock$/, ""))
    .filter((name) => DRAFT_NAME_PATTERN.test(name));
  for (const name of new Set(draftNames)) await removeIfAbandoned(join(parentFolder, name), now);
}

async function removeIfAbandoned(folder: string, now: number): Promise<void> {
  const lockPath = folder + LOCK_SUFFIX;
  if (!(await pathExists(lockPath))) {
    if (await isOldDraft(folder, now)) await removeFolder(folder);
    return;
  }
  const unlock = tryLock(lockPath);
  if (unlock === null) return;
  await removeFolder(folder);
  unlock();
  await removeLock(lockPath);
}

/**
 * Returns an unlock function; null if the lock cannot be taken, usually because another process holds it. The system
 * releases the lock of a killed process.
 */
function tryLock(path: string): (() => void) | null {
  try {
    return lockInstance(path);
  } catch {
    return null;
  }
}

/** Returns whether the folder contains only files of a backup, none of which was changed recently. */
async function isOldDraft(folder: string, now: number): Promise<boolean> {
  const names = await readdir(folder);
  const paths = [folder, ...names.map((name) => join(folder, name))];
  const modificationTimes = await Promise.all(
    paths.map(async (path) => (await stat(path)).mtimeMs),
  );
  const hasOnlyBackupFiles = names.every((name) => DATA_FILES.includes(basename(name)));
  return hasOnlyBackupFiles && now - Math.max(...modificationTimes) > UNLOCKED_DRAFT_AGE_MAX_MS;
}

/** Removes a folder. Retries, because a thread that is still writing may add a file. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function removeLock(path: string): Promise<void> {
  for (const file of [path, `${path}-journal`]) await rm(file, { force: true });
}

async function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
