import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";

const UNIT_PATH = join(ROOT, "deploy/tocsin.service");

/** Reads the server's systemd unit. */
export function readSystemdUnit(): string {
  return readFileSync(UNIT_PATH, "utf8");
}

/** Returns the values of a setting in order. */
export function getUnitValues(text: string, name: string): readonly string[] {
  return Array.from(text.matchAll(new RegExp(`^${name}=(.*)$`, "gm")), ([, value = ""]) => value);
}

/** Returns the example of an override file at the end of the unit, without its comment signs. */
export function getOverrideExample(text: string): string {
  const [, example = ""] =
    /^#\n((?:# {3}.*\n)+)$/m.exec(text.slice(text.lastIndexOf("\n#\n"))) ?? [];
  return example.replaceAll(/^# {3}/gm, "");
}
