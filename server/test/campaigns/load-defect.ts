/** Preloaded into a server process, it loads one source file with a defect in it; threads get it as well. */
import { changeSource } from "../support/change-source.ts";
import { breakSource, DEFECT_VARIABLE, type Defect } from "./defect.ts";

// Set by withDefect alone.
const defect = JSON.parse(process.env[DEFECT_VARIABLE] ?? "null") as Defect | null;

if (defect !== null) {
  changeSource(`/server/src/${defect.file}`, (source) => breakSource(source, defect));
}
