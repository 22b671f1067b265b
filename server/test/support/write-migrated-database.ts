import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "#database/database.ts";
import { migrate } from "#database/migration.ts";

/** The file mode that the server sets. */
const FILE_MODE = 0o600;

let migratedFile: Promise<Buffer> | null = null;

/**
 * Writes a SQLite file with all tables. Each process migrates once and copies the file, which takes a thirtieth of the
 * time.
 */
export async function writeMigratedDatabase(path: string): Promise<void> {
  migratedFile ??= createMigratedFile();
  await writeFile(path, await migratedFile, { mode: FILE_MODE, flag: "wx" });
}

async function createMigratedFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-tables-"));
  const path = join(folder, "tocsin.db");
  try {
    const database = openSqlite(path);
    await migrate(database);
    // Closing merges the log into the file.
    await database.close();
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
