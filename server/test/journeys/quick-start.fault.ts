import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import test from "node:test";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("the code that a start compiled is there for the next one, also after a kill", async (t) => {
  const compiled = await temporaryFolder(t);
  const environment = {
    NODE_COMPILE_CACHE: compiled,
    TOCSIN_DATA_DIR: await temporaryFolder(t),
    TOCSIN_LOG_LEVEL: "warn",
  };
  const server = await startServerProcess(t, { environment });
  await server.kill();
  const files = await readdir(compiled, { recursive: true });
  assert.ok(files.length > 500, `${files.length}`);
});
