import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import type { TestApp } from "../support/app.ts";

/** Where the pages stand, from the root of the repository. */
export const RECIPES = "docs/recipes";

/** As the pages call the server and the key. */
const SERVER = "https://push.example.org";
const KEY = "YOUR_API_KEY";

/** Returns the text of a page. */
export function readPage(page: string): string {
  return readFileSync(join(ROOT, RECIPES, page), "utf8");
}

/** Returns the one block of code of a page that is in a language and contains a text; fails where there is none, or several. */
export function blockOf(page: string, language: string, containing = ""): string {
  const blocks = Array.from(
    readPage(page).matchAll(/^```([a-z-]*)\n([^]*?)^```$/gmu),
    ([, name = "", text = ""]) => ({ name, text }),
  ).filter(({ name, text }) => name === language && text.includes(containing));
  assert.equal(blocks.length, 1, `${page}: one block of ${language} with ${containing}`);
  return blocks[0]?.text ?? "";
}

/** Returns the text with every place filled in; fails where a place is not there, as then something else would be tested. */
export function fill(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((filled, [place, value]) => {
    assert.ok(filled.includes(place), `${place} is not in: ${text}`);
    return filled.replaceAll(place, value);
  }, text);
}

/** Returns what a person fills in: the server's address and the key, of which the text must have both. */
export function placesOf({ url }: Pick<TestApp, "url">, key: string): Record<string, string> {
  return { [SERVER]: url, [KEY]: key };
}

/** Writes a script that may be executed. */
export async function writeScript(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

/** Writes `tocsin-notify` of the page on curl into a folder, for a server and a key; returns its path. */
export async function installNotify(
  folder: string,
  { url }: TestApp,
  key: string,
): Promise<string> {
  const [path, keyPath] = [join(folder, "tocsin-notify"), join(folder, "tocsin-notify.key")];
  await writeFile(keyPath, fill(blockOf("curl.md", "", "x-api-key"), { [KEY]: key }));
  const script = blockOf("curl.md", "sh", "#!/bin/sh");
  await writeScript(path, fill(script, { [SERVER]: url, "/etc/tocsin-notify.key": keyPath }));
  return path;
}
