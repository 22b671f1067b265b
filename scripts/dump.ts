// npm run dump             writes the documents that are generated from code
// npm run dump -- --check  fails if one of them is out of date
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { API_PAGE, renderApiPage } from "./api-page.ts";
import { COMMAND_LINE_PAGE, renderCommandLinePage } from "./command-line-page.ts";
import { EMOJI_NAMES_FILE, renderEmojiNames } from "./emoji-names.ts";
import { ROOT } from "./files.ts";
import { dumpOpenApi } from "./openapi-dump.ts";
import { renderPythonExample } from "./python-example.ts";
import { dumpSchema } from "./schema-dump.ts";

/** A document that is generated from code. */
interface Document {
  readonly path: string;
  readonly generate: () => Promise<string>;
}

const DOCUMENTS: readonly Document[] = [
  { path: "server/src/database/schema.sql", generate: dumpSchema },
  { path: "server/openapi.json", generate: dumpOpenApi },
  { path: EMOJI_NAMES_FILE, generate: renderEmojiNames },
  { path: COMMAND_LINE_PAGE, generate: renderCommandLinePage },
  { path: API_PAGE, generate: renderApiPage },
  // Generated from the OpenAPI document, so it comes after that.
  { path: "docs/examples/tocsin.py", generate: renderPythonExample },
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

/** Returns the written document; null if there is none. */
async function readDocument(path: string): Promise<string | null> {
  try {
    return await readFile(join(ROOT, path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
