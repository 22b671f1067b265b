import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";

const UNIT_PATH = join(ROOT, "deploy/tocsin.service");

/** Reads the server's systemd unit. */
export function readSystemdUnit(): string {
  return readFileSync(UNIT_PATH, "utf8");
}

/** Returns the values of a setting of a unit, in order. */
export function getUnitValues(unit: string, setting: string): readonly string[] {
  return Array.from(
    unit.matchAll(new RegExp(`^${setting}=(.*)$`, "gm")),
    ([, value = ""]) => value,
  );
}

/**
 * Returns the example of an override file in the last comment of the unit. The example follows an empty line of the
 * comment, and each of its lines begins with `#` and three spaces, which are removed.
 */
export function getOverrideExample(unit: string): string {
  const lastParagraph = unit.slice(unit.lastIndexOf("\n#\n"));
  const [, example = ""] = /^#\n((?:# {3}.*\n)+)$/m.exec(lastParagraph) ?? [];
  return example.replaceAll(/^# {3}/gm, "");
}
