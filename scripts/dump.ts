// npm run dump             writes the documents that are made from code
// npm run dump -- --check  fails when one of them is not what the code says
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { API_PAGE, apiPage } from "./api-page.ts";
import { commandLinePage } from "./command-line-page.ts";
import { ROOT } from "./files.ts";
import { openApiDump } from "./openapi-dump.ts";
import { pythonExample } from "./python-example.ts";
import { schemaDump } from "./schema-dump.ts";

interface Document {
  readonly path: string;
  readonly make: () => Promise<string>;
}

const DOCUMENTS: readonly Document[] = [
  { path: "server/src/database/schema.sql", make: schemaDump },
  { path: "server/openapi.json", make: openApiDump },
  { path: "docs/command-line.md", make: commandLinePage },
  { path: API_PAGE, make: apiPage },
  // After the document that it is made from.
  { path: "docs/examples/tocsin.py", make: pythonExample },
];

if (process.argv.includes("--check")) await check();
else await write();

async function write(): Promise<void> {
  for (const { path, make } of DOCUMENTS) {
    const text = await make();
    if (text === (await readDocument(path))) continue;
    await writeFile(join(ROOT, path), text);
    console.log(`${path} written`);
  }
}

async function check(): Promise<void> {
  for (const { path, make } of DOCUMENTS) {
    if ((await make()) === (await readDocument(path))) continue;
    console.error(`${path} is not what the code says. Run \`npm run dump\` and commit the result.`);
    process.exitCode = 1;
  }
}

/** Returns null for a document that was never written. */
async function readDocument(path: string): Promise<string | null> {
  try {
    return await readFile(join(ROOT, path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
