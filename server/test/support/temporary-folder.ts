import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "./scope.ts";

/** Set by `npm test`: the folder of the folders that only a database and what belongs to it lies in. */
const DATABASE_FOLDER = process.env["TOCSIN_TEST_DATABASE_FOLDER"] ?? tmpdir();

/** Makes a folder for the data of a server that goes when the scope ends; returns its path. */
export async function dataFolder(scope: Scope): Promise<string> {
  return folderIn(scope, DATABASE_FOLDER);
}

/** Makes a folder that goes when the scope ends; returns its path. */
export async function temporaryFolder(scope: Scope): Promise<string> {
  return folderIn(scope, tmpdir());
}

async function folderIn(scope: Scope, parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, "tocsin-test-"));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
