import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** @typedef {{ pid: number, since: number }} Owner `since` in ms. */

const POLL_MS = 200;
/** Longer than any setup: its two npm commands may take 10 minutes each, the build 3. */
const HELD_MAX_MS = 25 * 60_000;

/**
 * Runs `act` while holding the lock folder at `path`. Waits for another holder, at most 25 minutes, and takes over the lock of a
 * dead process.
 *
 * @template T
 * @param {string} path
 * @param {(owner: Owner) => void} onWait called once, if another process holds the lock
 * @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, act) {
  const waitUntil = Date.now() + HELD_MAX_MS;
  let told = false;
  while (!tryAcquire(path)) {
    const owner = ownerOf(path);
    if (owner !== null && isAbandoned(owner)) {
      remove(path, owner);
      continue;
    }
    if (Date.now() > waitUntil) throw new Error(`Waited in vain for the lock ${path}.`);
    if (owner !== null && !told) {
      onWait(owner);
      told = true;
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
 * Returns true if the process is gone, or if it has held the lock longer than any setup takes (its id was reused).
 *
 * @param {Owner} owner
 * @param {{ now?: number, isRunning?: (pid: number) => boolean }} [world]
 */
export function isAbandoned(owner, { now = Date.now(), isRunning = isProcess } = {}) {
  return now - owner.since > HELD_MAX_MS || !isRunning(owner.pid);
}

/** @param {string} path */
function tryAcquire(path) {
  // The folder is renamed with the owner already in it, so a lock without an owner is never visible.
  const mine = mkdtempSync(`${path}-`);
  writeFileSync(join(mine, "owner"), `${process.pid} ${Date.now()}`);
  try {
    renameSync(mine, path);
    return true;
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error))) return false;
    throw error;
  }
}

/**
 * @param {string} path
 * @returns {Owner | null} null if the lock is free
 */
function ownerOf(path) {
  try {
    const [pid, since] = readFileSync(join(path, "owner"), "utf8").split(" ").map(Number);
    return { pid: pid ?? 0, since: since ?? 0 };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Removes the lock of `owner`; restores it if another process has acquired it in the meantime.
 *
 * @param {string} path
 * @param {Owner} owner
 */
function remove(path, owner) {
  const aside = `${path}-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  if (ownerOf(aside)?.since === owner.since) rmSync(aside, { recursive: true, force: true });
  else renameSync(aside, path);
}

/** @param {number} pid */
function isProcess(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs as another user.
    return codeOf(error) === "EPERM";
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
