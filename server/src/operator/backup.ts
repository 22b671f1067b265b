import { randomBytes } from "node:crypto";
import { copyFile, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SECRET_FILE } from "#accounts/session-secret.ts";
import type { Config } from "#config.ts";
import { copySqlite } from "#database/copy-sqlite.ts";
import { readText } from "#data-file.ts";
import { VAPID_FILE } from "../secrets.ts";
import { OperatorError } from "./operator-error.ts";
import { placeText } from "./place.ts";

/** What a backup holds. */
export interface Backup {
  /** A data folder: a server may run on it as it is. */
  readonly folder: string;
  readonly sizeBytes: number;
}

/**
 * Makes a folder with a copy of the database, as it is at this moment, and the server's secrets; servers may run
 * meanwhile. The folder is there whole, checked and on the disk, or not at all. Throws `OperatorError` where it is there
 * already, and for PostgreSQL, which has its own tools.
 */
export async function backup(
  { dataDir, database: place }: Pick<Config, "dataDir" | "database">,
  folder: string,
): Promise<Backup> {
  if (place.kind === "postgres") throw useTools(placeText(place), folder);
  if (!(await exists(place.path))) {
    throw new OperatorError("no_database", `There is no database in ${dataDir}.`);
  }
  if (await exists(folder)) throw new OperatorError("exists", `${folder} is there already.`);
  const draft = `${folder}.${randomBytes(6).toString("hex")}.part`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const copy = join(draft, basename(place.path));
    copySqlite(place.path, copy);
    for (const name of [SECRET_FILE, VAPID_FILE]) {
      if ((await readText(join(dataDir, name))) === null) continue;
      await copyFile(join(dataDir, name), join(draft, name));
      await flush(join(draft, name));
    }
    await flush(copy);
    await flush(draft);
    const { size } = await stat(copy);
    await rename(draft, folder);
    await flush(dirname(folder));
    return { folder, sizeBytes: size };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function useTools(url: string, file: string): OperatorError {
  const lines = [
    "PostgreSQL has its own tools for backups, which take everything as it is at one moment:",
    `  pg_dump --format=custom --file='${file.replaceAll("'", "'\\''")}' '${url}'`,
    "  pg_restore --dbname=URL_OF_AN_EMPTY_DATABASE FILE",
    "The password is asked for, or read from PGPASSWORD. The server's secrets are in the database.",
  ];
  return new OperatorError("use_pg_dump", lines.join("\n"));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Waits until a file or folder is on the disk. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
