import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** The permission bits of the group and of all other users. */
const OTHERS_MASK = 0o077;
const FILE_MODE = 0o600;

/**
 * Creates an empty file that only its owner can access, regardless of the umask, or removes other users' access to an
 * existing one. SQLite gives its log and journals the mode of the file. An existing file is never opened: closing it
 * would release the locks that this process holds on it.
 */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", FILE_MODE));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    restrictToOwner(path, FILE_MODE);
  }
}

/**
 * Removes other users' access to a file or folder; returns whether it removed any. A missing path, one of another user,
 * or one on a read-only disk stays unchanged.
 */
export function restrictToOwner(path: string, mode: number): boolean {
  try {
    if ((statSync(path).mode & OTHERS_MASK) === 0) return false;
    chmodSync(path, mode);
    return true;
  } catch (error) {
    // `tocsin doctor` reports paths whose mode this user cannot change.
    if (hasCode(error, "ENOENT") || hasCode(error, "EPERM") || hasCode(error, "EROFS"))
      return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
