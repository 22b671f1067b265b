import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import type { TestApp } from "../support/app.ts";

/** The folder of the pages, from the root of the repository. */
export const RECIPES_FOLDER = "docs/recipes";

/** Placeholders of the pages for the server's URL and the key. */
const SERVER_PLACEHOLDER = "https://push.example.org";
const KEY_PLACEHOLDER = "YOUR_API_KEY";

/** Returns the text of a page. */
export function readPage(page: string): string {
  return readFileSync(join(ROOT, RECIPES_FOLDER, page), "utf8");
}

/** Returns the page's only code block in a language that contains a string. Fails if there is none, or several. */
export function findBlock(page: string, language: string, containing = ""): string {
  const blocks = Array.from(
    readPage(page).matchAll(/^```([a-z-]*)\n([^]*?)^```$/gmu),
    ([, name = "", text = ""]) => ({ name, text }),
  ).filter(({ name, text }) => name === language && text.includes(containing));
  assert.equal(blocks.length, 1, `${page}: one block of ${language} with ${containing}`);
  return blocks[0]?.text ?? "";
}

/** Returns the value that a page's table of settings has for a field. Fails if it has none, or several. */
export function readSetting(page: string, field: string): string {
  const values = Array.from(
    readPage(page).matchAll(/^\| ([^|]+?) +\| `([^`]+)` +\|$/gmu),
    ([, name, value = ""]) => ({ name, value }),
  ).filter(({ name }) => name === field);
  assert.equal(values.length, 1, `${page}: one setting ${field}`);
  return values[0]?.value ?? "";
}

/** Replaces every placeholder of a text. Fails if one does not occur, because the test would then test something else. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((result, [placeholder, value]) => {
    assert.ok(result.includes(placeholder), `${placeholder} is not in: ${text}`);
    return result.replaceAll(placeholder, value);
  }, text);
}

/** Returns the values of both placeholders that a user fills in: the server's URL and the key. */
export function createPlaceholderValues(
  { url }: Pick<TestApp, "url">,
  key: string,
): Record<string, string> {
  return { [SERVER_PLACEHOLDER]: url, [KEY_PLACEHOLDER]: key };
}

/** Writes an executable script. */
export async function writeScript(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

/** Installs `tocsin-notify` of the curl page in a folder, for a server and a key. Returns its path. */
export async function installNotify(
  folder: string,
  { url }: TestApp,
  key: string,
): Promise<string> {
  const path = join(folder, "tocsin-notify");
  const keyPath = join(folder, "tocsin-notify.key");
  await writeFile(
    keyPath,
    fillPlaceholders(findBlock("curl.md", "", "x-api-key"), { [KEY_PLACEHOLDER]: key }),
  );
  const script = findBlock("curl.md", "sh", "#!/bin/sh");
  await writeScript(
    path,
    fillPlaceholders(script, { [SERVER_PLACEHOLDER]: url, "/etc/tocsin-notify.key": keyPath }),
  );
  return path;
}
