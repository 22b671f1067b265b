// npm run dump             writes the documents that are generated from code
// npm run dump -- --check  fails if one of them is out of date
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
  readonly generate: () => Promise<string>;
}

const DOCUMENTS: readonly Document[] = [
  { path: "server/src/database/schema.sql", generate: schemaDump },
  { path: "server/openapi.json", generate: openApiDump },
  { path: "docs/command-line.md", generate: commandLinePage },
  { path: API_PAGE, generate: apiPage },
  // Generated from the OpenAPI document, so it comes after that.
  { path: "docs/examples/tocsin.py", generate: pythonExample },
];

if (process.argv.includes("--check")) await check();
else await write();

async function write(): Promise<void> {
  for (const { path, generate } of DOCUMENTS) {
    const text = await generate();
    if (text === (await readDocument(path))) continue;
    await writeFile(join(ROOT, path), text);
    console.log(`${path} written`);
  }
}

async function check(): Promise<void> {
  for (const { path, generate } of DOCUMENTS) {
    if ((await generate()) === (await readDocument(path))) continue;
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
