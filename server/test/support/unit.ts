import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";

const UNIT = join(ROOT, "deploy/tocsin.service");

/** Reads the server's systemd unit. */
export function readUnit(): string {
  return readFileSync(UNIT, "utf8");
}

/** Returns the values of a setting in order. */
export function valuesOf(text: string, name: string): readonly string[] {
  return Array.from(text.matchAll(new RegExp(`^${name}=(.*)$`, "gm")), ([, value = ""]) => value);
}

/** Returns the example of local settings at the end of the unit. */
export function exampleOf(text: string): string {
  const [, example = ""] =
    /^#\n((?:# {3}.*\n)+)$/m.exec(text.slice(text.lastIndexOf("\n#\n"))) ?? [];
  return example.replaceAll(/^# {3}/gm, "");
}
