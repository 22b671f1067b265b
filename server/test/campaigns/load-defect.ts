/** Preloaded into a server process, it loads one source file with a defect in it; threads get it as well. */
import { registerHooks } from "node:module";
import { breakSource, DEFECT_VARIABLE, type Defect } from "./defect.ts";

// Set by withDefect alone.
const defect = JSON.parse(process.env[DEFECT_VARIABLE] ?? "null") as Defect | null;

if (defect !== null) {
  const end = `/server/src/${defect.file}`;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(end)) return loaded;
      const source = loaded.source ?? "";
      const text = typeof source === "string" ? source : new TextDecoder().decode(source);
      return { ...loaded, source: breakSource(text, defect) };
    },
  });
}
