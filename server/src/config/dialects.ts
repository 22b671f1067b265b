import type { EnvironmentReader } from "./environment-reader.ts";

/** The APIs of other services that this version speaks. */
export const SPOKEN_DIALECTS = ["ntfy", "gotify", "pushover"] as const;

/** An API of another service that this version speaks. */
export type SpokenDialect = (typeof SPOKEN_DIALECTS)[number];

/** Reads the dialects that the server speaks: all by default, none for `none`. */
export function readDialects(reader: EnvironmentReader): readonly SpokenDialect[] {
  const name = "TOCSIN_DIALECTS";
  const names = reader.readList(name);
  if (names.length === 0) return SPOKEN_DIALECTS;
  if (names.length === 1 && names[0] === "none") return [];
  const isKnown = (item: string) => SPOKEN_DIALECTS.some((dialect) => dialect === item);
  if (!names.every(isKnown)) {
    reader.problems.push(`${name}: give none, or a list of ${SPOKEN_DIALECTS.join(", ")}.`);
  }
  return SPOKEN_DIALECTS.filter((dialect) => names.includes(dialect));
}
