import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DATA_FILES } from "#process/data-folder.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** The permission bits of the group and of other users. */
const OTHERS_MASK = 0o077;
const MODE_MASK = 0o777;

/** Checks the folder with the database and the server's secrets. Changes nothing. */
export async function checkDataFolder(dataDir: string): Promise<Verdict> {
  const folder = await findNearestExisting(dataDir);
  const { mode, isFolder } = await readModeAndKind(folder);
  if (!isFolder) {
    return fail(`${folder} is not a folder.`, "Set TOCSIN_DATA_DIR to a folder.");
  }
  if (!(await isWritable(folder))) {
    const message =
      folder === dataDir
        ? `This user cannot write to ${dataDir}.`
        : `This user cannot create ${dataDir}: it cannot write to ${folder}.`;
    return fail(
      message,
      `Give ${folder} to the user that runs the server, or set TOCSIN_DATA_DIR.`,
    );
  }
  if (folder !== dataDir) return ok(`${dataDir} will be created at the first start.`);
  if ((mode & OTHERS_MASK) !== 0) {
    return warn(
      `${dataDir} has mode ${(mode & MODE_MASK).toString(8)}: other users of this machine can access its contents.`,
      `Run: chmod 700 ${dataDir}`,
    );
  }
  const exposedFiles = await listExposedFiles(dataDir);
  if (exposedFiles.length > 0) {
    const message = `Other users of this machine may read ${exposedFiles.join(" and ")}.`;
    return warn(message, `Run: chmod 600 ${exposedFiles.join(" ")}`);
  }
  return ok(`${dataDir} can be written, and only by this user.`);
}

/**
 * Returns the server's files that other users may access. A private folder protects them only while they are in it: a
 * copy elsewhere keeps their permissions.
 */
async function listExposedFiles(dataDir: string): Promise<readonly string[]> {
  const paths = DATA_FILES.map((name) => join(dataDir, name));
  const modes = await Promise.all(paths.map((path) => readModeAndKind(path)));
  return paths.filter((_, index) => ((modes[index]?.mode ?? 0) & OTHERS_MASK) !== 0);
}

/** Checks the free space on the disk of the data folder. */
export async function checkDisk(dataDir: string): Promise<Verdict> {
  const { bavail, bsize } = await statfs(await findNearestExisting(dataDir));
  return assessFreeSpace(bavail * bsize, dataDir);
}

const MB = 1_000_000;
const GB = 1_000 * MB;
/** Less free space is a warning. */
const FREE_OK_BYTES = GB;
/** Less free space is a failure. */
const FREE_MIN_BYTES = 100 * MB;

/** Returns the verdict on the free space. */
export function assessFreeSpace(freeBytes: number, dataDir: string): Verdict {
  const freeSpace =
    freeBytes < GB ? `${Math.floor(freeBytes / MB)} MB` : `${(freeBytes / GB).toFixed(1)} GB`;
  const message = `${freeSpace} are free on the disk of ${dataDir}.`;
  const remedy =
    "Free some space, or set TOCSIN_DATA_DIR; TOCSIN_RETENTION_DAYS limits how long notifications are stored.";
  if (freeBytes < FREE_MIN_BYTES) return fail(message, remedy);
  return freeBytes < FREE_OK_BYTES ? warn(message, remedy) : ok(message);
}

/** Returns the path or its nearest existing parent. */
async function findNearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing ? findNearestExisting(dirname(path)) : path;
  }
}

async function readModeAndKind(
  path: string,
): Promise<{ readonly mode: number; readonly isFolder: boolean }> {
  try {
    const stats = await stat(path);
    return { mode: stats.mode, isFolder: stats.isDirectory() };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    // ENOTDIR: the path leads through a file. A folder without access fails the check for writing.
    return { mode: 0, isFolder: code !== "ENOTDIR" };
  }
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
