import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test from "node:test";
import { temporaryFolder } from "../server/test/support/temporary-folder.ts";
import { ROOT, sourceFiles } from "./files.ts";
import { onPostgres } from "./on-postgres.ts";

const STARTS = (depth: number) => `import "${"../".repeat(depth)}server/test/support/app.ts";\n`;
const MAKES = (depth: number) =>
  `import { createDatabase } from "${"../".repeat(depth)}server/test/support/database.ts";\n`;

test("a program is tried on one database, unless its test names the database; the server on both", async (t) => {
  const root = await temporaryFolder(t);
  const files = {
    "server/test/support/database.ts": "",
    "server/test/support/app.ts": `import "./database.ts";\n`,
    "cli/src/send.test.ts": STARTS(2),
    "cli/src/move.test.ts": MAKES(2),
    "server/src/keys/keys.test.ts": STARTS(3),
    "server/test/recipes/shell.test.ts": STARTS(3),
    "server/src/ids.test.ts": "",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  assert.deepEqual(onPostgres(Object.keys(files).slice(2), root), {
    run: ["cli/src/move.test.ts", "server/src/keys/keys.test.ts"],
    once: ["cli/src/send.test.ts", "server/test/recipes/shell.test.ts"],
  });
});

test("every rule of the contract that uses a database is tried on both", () => {
  const files = sourceFiles().filter((file) => file.endsWith(".test.ts"));
  const { once } = onPostgres(files, ROOT);
  const rules = once.filter((file) => /^server\/(?:src|test\/(?:app-api|contract))\//u.test(file));
  assert.ok(once.length > 0);
  assert.deepEqual(rules, []);
});
