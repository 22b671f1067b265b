import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "./scope.ts";

/** Makes a folder that goes when the scope ends; returns its path. */
export async function temporaryFolder(scope: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-test-"));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
