/**
 * Preloaded into a server and its threads: appends the place of every function of `server/src` to a file, each time that
 * one is entered. The environment names the file.
 */
import { appendFileSync, openSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { ENTERED, instrument } from "./instrument.ts";
import { ENTRIES_VARIABLE } from "./entries.ts";

const SOURCES = new URL("../../src/", import.meta.url).href;
const file = openSync(process.env[ENTRIES_VARIABLE] ?? "", "a");

Object.assign(globalThis, {
  // Threads append to the same file, so the order of lines is the order of entries.
  [ENTERED]: (place: string) => appendFileSync(file, `${place}\n`),
});

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(SOURCES) || !url.endsWith(".ts")) return loaded;
    const source = readFileSync(new URL(url), "utf8");
    return { ...loaded, source: instrument(url.slice(SOURCES.length), source) };
  },
});
