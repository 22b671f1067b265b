/** Preloaded into a server process and its threads: loads one source file with a defect. */
import { changeSource } from "../support/change-source.ts";
import { applyDefect, DEFECT_VARIABLE, type Defect } from "./defect.ts";

// Only `toProcessOptions` sets this variable.
const defect = JSON.parse(process.env[DEFECT_VARIABLE] ?? "null") as Defect | null;

if (defect !== null) {
  changeSource(`/server/src/${defect.file}`, (source) => applyDefect(source, defect));
}
