import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import test from "node:test";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Fewer than the modules of a server that has started. */
const CACHED_FILES_MIN = 500;

test("compiled code is cached for the next start, even after a kill", async (t) => {
  const cacheFolder = await createTemporaryFolder(t);
  const environment = {
    NODE_COMPILE_CACHE: cacheFolder,
    TOCSIN_DATA_DIR: await createTemporaryFolder(t),
    TOCSIN_LOG_LEVEL: "warn",
  };
  const server = await startServerProcess(t, { environment });
  await server.kill();
  const files = await readdir(cacheFolder, { recursive: true });
  assert.ok(files.length > CACHED_FILES_MIN, `${files.length} files are cached`);
});
