import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "./scope.ts";

/** Assigned by `npm test`: the parent of the folders that hold only a server's data. */
const DATABASE_FOLDER = process.env["TOCSIN_TEST_DATABASE_FOLDER"] ?? tmpdir();

/** Creates a folder for a server's data that is removed when the scope ends. Returns its path. */
export async function createDataFolder(scope: Scope): Promise<string> {
  return createFolderIn(scope, DATABASE_FOLDER);
}

/** Creates a folder that is removed when the scope ends. Returns its path. */
export async function createTemporaryFolder(scope: Scope): Promise<string> {
  return createFolderIn(scope, tmpdir());
}

async function createFolderIn(scope: Scope, parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, "tocsin-test-"));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
