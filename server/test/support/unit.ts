import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";

const UNIT = join(ROOT, "deploy/tocsin.service");

/** Returns the text of the unit that systemd runs the server by. */
export function unitText(): string {
  return readFileSync(UNIT, "utf8");
}

/** Returns the values of a setting, in their order. */
export function valuesOf(text: string, name: string): readonly string[] {
  return Array.from(text.matchAll(new RegExp(`^${name}=(.*)$`, "gm")), ([, value = ""]) => value);
}

/** Returns what the end of the unit shows as an example of a machine's own settings. */
export function exampleOf(text: string): string {
  const [, example = ""] =
    /^#\n((?:# {3}.*\n)+)$/m.exec(text.slice(text.lastIndexOf("\n#\n"))) ?? [];
  return example.replaceAll(/^# {3}/gm, "");
}
