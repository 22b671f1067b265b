import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** @typedef {{ pid: number, acquiredAt: number }} Owner `acquiredAt` in milliseconds since the epoch. */

const POLL_MS = 200;
/** Longer than any setup: its two npm commands may take 10 minutes each, its two builds 3 minutes each. */
const HELD_MAX_MS = 30 * 60_000;

/**
 * Runs `act` while holding the lock folder at `path`. Waits for another holder, at most 30 minutes, and takes over the
 * lock of a dead process.
 *
 * @template T
 * @param {string} path
 * @param {(owner: Owner) => void} onWait called once, if another process holds the lock
 * @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, act) {
  const timeoutAt = Date.now() + HELD_MAX_MS;
  let isReported = false;
  while (!tryAcquire(path)) {
    const owner = readOwner(path);
    if (owner !== null && isAbandoned(owner)) {
      removeLock(path, owner);
      continue;
    }
    if (Date.now() > timeoutAt) throw new Error(`The lock ${path} was not released in time.`);
    if (owner !== null && !isReported) {
      onWait(owner);
      isReported = true;
    }
    await wait(POLL_MS);
  }
  try {
    return await act();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Returns whether the owner is gone: its process has ended, or the lock is older than any setup takes, so that another
 * process must have the same id now.
 *
 * @param {Owner} owner
 * @param {{ now?: number, isRunning?: (pid: number) => boolean }} [overrides] for tests
 */
export function isAbandoned(owner, { now = Date.now(), isRunning = isProcessRunning } = {}) {
  return now - owner.acquiredAt > HELD_MAX_MS || !isRunning(owner.pid);
}

/** @param {string} path */
function tryAcquire(path) {
  // The folder is renamed with the owner already in it, so a lock without an owner is never visible.
  const ownFolder = mkdtempSync(`${path}-`);
  writeFileSync(join(ownFolder, "owner"), `${process.pid} ${Date.now()}`);
  try {
    renameSync(ownFolder, path);
    return true;
  } catch (error) {
    rmSync(ownFolder, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST"].includes(getErrorCode(error))) return false;
    throw error;
  }
}

/**
 * @param {string} path
 * @returns {Owner | null} null if the lock is free
 */
function readOwner(path) {
  try {
    const [pid, acquiredAt] = readFileSync(join(path, "owner"), "utf8").split(" ").map(Number);
    return { pid: pid ?? 0, acquiredAt: acquiredAt ?? 0 };
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Removes the lock of `owner`; restores it if another process has acquired it in the meantime.
 *
 * @param {string} path
 * @param {Owner} owner
 */
function removeLock(path, owner) {
  const asidePath = `${path}-${process.pid}`;
  try {
    renameSync(path, asidePath);
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return;
    throw error;
  }
  if (readOwner(asidePath)?.acquiredAt === owner.acquiredAt)
    rmSync(asidePath, { recursive: true, force: true });
  else renameSync(asidePath, path);
}

/** @param {number} pid */
function isProcessRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs as another user.
    return getErrorCode(error) === "EPERM";
  }
}

/** @param {unknown} error */
function getErrorCode(error) {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
