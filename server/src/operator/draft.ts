import { randomBytes } from "node:crypto";
import { access, mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { lockInstance } from "#database/instance-lock.ts";
import { DATA_FILES } from "#process/data-folder.ts";

/** A folder in which a backup is written, beside its final place. */
export interface BackupDraft {
  readonly folder: string;
  /** Removes the draft; a folder that was renamed stays. */
  end(): Promise<void>;
}

const DRAFT = /\.[0-9a-f]{12}\.part$/;
const LOCK_ENDING = ".lock";
/** Earlier versions held no lock; no backup takes this long. */
const UNLOCKED_MAX_MS = 24 * 3_600_000;

/** Creates a draft that only this user can read; its lock shows other processes whether it is still being written. */
export async function beginDraft(target: string): Promise<BackupDraft> {
  const folder = `${target}.${randomBytes(6).toString("hex")}.part`;
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const lockPath = folder + LOCK_ENDING;
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
 * Removes the drafts in a folder that no living process writes, as a kill leaves them; `now` in milliseconds since the
 * epoch.
 */
export async function removeLeftDrafts(parent: string, now: number): Promise<void> {
  const names = await readdir(parent);
  const drafts = names
    .map((name) => name.replace(/\.lock$/, ""))
    .filter((name) => DRAFT.test(name));
  for (const name of new Set(drafts)) await removeIfLeft(join(parent, name), now);
}

async function removeIfLeft(folder: string, now: number): Promise<void> {
  const lockPath = folder + LOCK_ENDING;
  if (!(await isThere(lockPath))) {
    if (await isOldDraft(folder, now)) await removeFolder(folder);
    return;
  }
  const unlock = tryLock(lockPath);
  if (unlock === null) return;
  await removeFolder(folder);
  unlock();
  await removeLock(lockPath);
}

/** The operating system releases the lock of a killed process. */
function tryLock(path: string): (() => void) | null {
  try {
    return lockInstance(path);
  } catch {
    return null;
  }
}

/** True if it holds only files of a backup, and has not been written to for long. */
async function isOldDraft(folder: string, now: number): Promise<boolean> {
  const names = await readdir(folder);
  const paths = [folder, ...names.map((name) => join(folder, name))];
  const changes = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
  const isOurs = names.every((name) => DATA_FILES.includes(basename(name)));
  return isOurs && now - Math.max(...changes) > UNLOCKED_MAX_MS;
}

/** Retries, because a thread that still writes may add a file in between. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function removeLock(path: string): Promise<void> {
  for (const file of [path, `${path}-journal`]) await rm(file, { force: true });
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
