import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** Makes a folder that goes when the test ends; returns its path. */
export async function temporaryFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-test-"));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
