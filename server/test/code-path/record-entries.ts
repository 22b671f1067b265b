/**
 * Preloaded into a server and its threads: appends the start of a function of `server/src` to a file each time it is
 * entered. The environment contains the file's path.
 */
import { appendFileSync, openSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { ENTERED_FUNCTION, instrumentSource } from "./instrument.ts";
import { ENTRIES_FILE_VARIABLE } from "./common-path.ts";

const SOURCES = new URL("../../src/", import.meta.url).href;
const file = openSync(process.env[ENTRIES_FILE_VARIABLE] ?? "", "a");

Object.assign(globalThis, {
  // All threads append to one file, so the order of its lines is the order of entries.
  [ENTERED_FUNCTION]: (start: string) => appendFileSync(file, `${start}\n`),
});

registerHooks({
  load(url, context, nextLoad) {
    const loadedModule = nextLoad(url, context);
    if (!url.startsWith(SOURCES) || !url.endsWith(".ts")) return loadedModule;
    const source = readFileSync(new URL(url), "utf8");
    return { ...loadedModule, source: instrumentSource(url.slice(SOURCES.length), source) };
  },
});
