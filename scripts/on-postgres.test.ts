import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test from "node:test";
import { createTemporaryFolder } from "../server/test/support/temporary-folder.ts";
import { ROOT, listSourceFiles } from "./files.ts";
import { selectPostgresTests, SUBJECT_NAMES } from "./on-postgres.ts";

const importApp = (depth: number) => `import "${"../".repeat(depth)}server/test/support/app.ts";\n`;
const importCreateDatabase = (depth: number) =>
  `import { createDatabase } from "${"../".repeat(depth)}server/test/support/database.ts";\n`;

test("server tests run on both databases, program tests on one unless they name the database", async (t) => {
  const root = await createTemporaryFolder(t);
  const files = {
    "server/test/support/database.ts": "",
    "server/test/support/app.ts": `import "./database.ts";\n`,
    "cli/src/send.test.ts": importApp(2),
    "cli/src/move.test.ts": importCreateDatabase(2),
    "server/src/keys/keys.test.ts": importApp(3),
    "server/test/recipes/shell.test.ts": importApp(3),
    "server/src/ids.test.ts": "",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  assert.deepEqual(selectPostgresTests(Object.keys(files).slice(2), root), {
    onBoth: ["cli/src/move.test.ts", "server/src/keys/keys.test.ts"],
    onlySqlite: ["cli/src/send.test.ts", "server/test/recipes/shell.test.ts"],
  });
});

test("every test of the server or its contract that uses a database runs on both", () => {
  const files = listSourceFiles().filter((file) => file.endsWith(".test.ts"));
  const { onlySqlite } = selectPostgresTests(files, ROOT);
  const serverTests = onlySqlite.filter((file) =>
    /^server\/(?:src|test\/(?:app-api|contract))\//u.test(file),
  );
  assert.ok(onlySqlite.length > 0);
  assert.deepEqual(serverTests, []);
});

test("each name that shows a database as the subject is exported by the test support", async () => {
  const paths = ["app.ts", "database.ts"].map((file) => join(ROOT, "server/test/support", file));
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  const isExported = (name: string) =>
    new RegExp(`^export (?:async function|function|const) ${name}\\b`, "mu").test(texts.join("\n"));
  assert.deepEqual(
    SUBJECT_NAMES.filter((name) => !isExported(name)),
    [],
  );
});
