import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { ON_POSTGRES } from "../test/support/database.ts";
import { testContext } from "../test/support/room.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { generateVapidKeys } from "#providers/webpush/vapid-keys.ts";
import { loadSecrets } from "./secrets.ts";

const place = { kind: "postgres", url: "postgres://unused/here" } as const;

test(
  "all processes on a database sign with the same, whoever was first, whatever their folders hold",
  ON_POSTGRES,
  async (t) => {
    const { database } = await testContext(t);
    const folders = await Promise.all([1, 2, 3].map(() => temporaryFolder(t)));
    const load = (dataDir: string) => loadSecrets({ database: place, dataDir }, database);
    const [first, ...others] = await Promise.all(folders.map(load));
    for (const other of others) assert.deepEqual(other, first);
    const late = await temporaryFolder(t);
    await writeFile(join(late, "session-secret"), "another secret of enough bytes for all");
    assert.deepEqual(await load(late), first);
  },
);

test("a server that moves to PostgreSQL takes along what it signs with", ON_POSTGRES, async (t) => {
  const { database } = await testContext(t);
  const dataDir = await temporaryFolder(t);
  const vapid = generateVapidKeys();
  await writeFile(join(dataDir, "vapid.json"), JSON.stringify(vapid));
  await writeFile(join(dataDir, "session-secret"), "a secret that was there before, of old\n");
  assert.deepEqual(await loadSecrets({ database: place, dataDir }, database), {
    session: "a secret that was there before, of old",
    vapid,
  });
});
