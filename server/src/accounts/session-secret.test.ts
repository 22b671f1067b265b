import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { loadOrCreateSecret } from "./session-secret.ts";

test("the secret is made once, for its owner alone, however many ask at once", async (t) => {
  const folder = await temporaryFolder(t);
  const secrets = await Promise.all([1, 2, 3, 4].map(() => loadOrCreateSecret(folder)));
  assert.equal(new Set(secrets).size, 1);
  assert.equal(Buffer.from(secrets[0] ?? "", "base64url").byteLength, 32);
  assert.equal(await loadOrCreateSecret(folder), secrets[0]);
  assert.deepEqual(await readdir(folder), ["session-secret"]);
  assert.equal((await stat(join(folder, "session-secret"))).mode & 0o777, 0o600);
});

test("a damaged secret stops the start and is left as it is", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "session-secret"), "");
  await assert.rejects(loadOrCreateSecret(folder), /is damaged/);
  assert.equal(await readFile(join(folder, "session-secret"), "utf8"), "");
});
