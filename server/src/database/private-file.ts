import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** Group and world. */
const OTHERS = 0o077;
const FILE_MODE = 0o600;

/**
 * Creates an empty file that only its owner can read, regardless of the umask, or removes other users' access to an
 * existing one. SQLite gives its log and journals the mode of the file. An existing file is never opened: closing it
 * would release the locks that this process holds on it.
 */
export function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", FILE_MODE));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    closeToOthers(path, FILE_MODE);
  }
}

/**
 * Removes other users' access to a file or folder; returns whether they had any. A missing path, or one of another
 * user, stays unchanged.
 */
export function closeToOthers(path: string, mode: number): boolean {
  try {
    if ((statSync(path).mode & OTHERS) === 0) return false;
    chmodSync(path, mode);
    return true;
  } catch (error) {
    // `tocsin doctor` reports paths that this user cannot close.
    if (hasCode(error, "ENOENT") || hasCode(error, "EPERM") || hasCode(error, "EROFS"))
      return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
