import type { Source } from "../source.ts";
import { countTouchedFiles, type Change } from "./history.ts";
import { looseFiles, buildPlan, roomOfDelivery, roomOfHouse } from "./rooms.ts";
import { clockRollbackFiles, countPronounOpenings, sharedTypeNames } from "./words.ts";

/** A figure of the house with its first value and its goal. */
export interface Row {
  readonly name: string;
  readonly was: number;
  readonly goal: number;
  /** Null if it is unknown or was not measured. */
  readonly now: number | null;
  /** The total number of such items, if that is informative. */
  readonly of?: number;
}

/** The maximum that `npm run check` allows. A change that lowers a figure also lowers its ceiling. */
const CEILINGS = {
  "loose files in server/src": 6,
  "loose files in delivery/": 7,
  "rooms of the house": 34,
  "arrows of the house": 180,
  "rooms of delivery/": 14,
  "arrows of delivery/": 53,
  "type names that several files define": 0,
  "files that know of a clock rollback": 6,
} as const;

/** Returns the figures that are measured from the sources. */
export function sourceRows(
  sources: readonly Source[],
  packages: ReadonlyMap<string, string>,
): readonly Row[] {
  const house = buildPlan(sources, { roomOf: roomOfHouse, packages });
  const delivery = buildPlan(sources, { roomOf: roomOfDelivery, packages });
  const loose = (folder: string) => looseFiles(sources, folder);
  const types = sharedTypeNames(sources);
  const openings = countPronounOpenings(sources);
  const clocks = clockRollbackFiles(sources);
  return [
    { name: "loose files in server/src", was: 38, goal: 8, now: loose("server/src") },
    { name: "loose files in delivery/", was: 46, goal: 8, now: loose("server/src/delivery") },
    { name: "rooms of the house", was: 58, goal: 36, now: house.rooms },
    { name: "arrows of the house", was: 260, goal: 180, now: house.arrows },
    { name: "rooms of delivery/", was: 52, goal: 18, now: delivery.rooms },
    { name: "arrows of delivery/", was: 166, goal: 60, now: delivery.arrows },
    shareRow("type names that several files define", { was: 52, goal: 5 }, types),
    shareRow("comments that begin with a pronoun", { was: 544, goal: 0 }, openings),
    { name: "files that know of a clock rollback", was: 29, goal: 5, now: clocks },
  ];
}

/** Returns the figures that are measured from the history; `null` is a clone without enough history. */
export function historyRows(history: readonly Change[] | null): readonly Row[] {
  const withoutBody = history?.filter(({ hasBody }) => !hasBody).length ?? null;
  const total = history === null ? {} : { of: history.length };
  const icon = history === null ? null : countTouchedFiles("icon", history);
  return [
    { name: "commits without a body", was: 259, goal: 0, now: withoutBody, ...total },
    { name: "files touched to add `icon`", was: 29, goal: 12, now: icon },
  ];
}

/** The way of a notification, as `npm run way` measures it. */
export interface WayFigures {
  readonly files: readonly string[];
  readonly functions: readonly string[];
  readonly commits: number;
}

/** Returns the figures of the way of a notification; `null` means that it was not measured. */
export function wayRows(way: WayFigures | null): readonly Row[] {
  const [files = null, functions = null] = [way?.files.length, way?.functions.length];
  return [
    { name: "files that a notification enters", was: 92, goal: 60, now: files },
    { name: "functions that it enters", was: 390, goal: 220, now: functions },
    { name: "commits that it takes", was: 3, goal: 2, now: way?.commits ?? null },
  ];
}

/** Returns one line per figure above its ceiling. */
export function aboveCeilings(
  rows: readonly Row[],
  ceilings: Readonly<Record<string, number>> = CEILINGS,
): readonly string[] {
  return rows.flatMap(({ name, now }) => {
    const max = ceilings[name];
    if (max === undefined || now === null || now <= max) return [];
    return [`${name}: ${now}, and not above ${max} (npm run house)`];
  });
}

/** Returns the lines of a table. */
export function formatTable(rows: readonly Row[]): readonly string[] {
  const cells = rows.map(({ name, was, goal, now, of }) => [
    name,
    String(was),
    `≤ ${goal}`,
    now === null ? "unknown" : `${now}${of === undefined ? "" : ` of ${of}`}`,
  ]);
  const all = [["measured", "was", "goal", "now"], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

function shareRow(
  name: string,
  { was, goal }: Pick<Row, "was" | "goal">,
  { count, all }: { readonly count: number; readonly all: number },
): Row {
  return { name, was, goal, now: count, of: all };
}
