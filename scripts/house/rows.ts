import type { Source } from "../source.ts";
import { countTouchedFiles, type Commit } from "./history.ts";
import { countLooseFiles, buildPlan, findDeliveryRoom, findHouseRoom } from "./rooms.ts";
import { countClockRollbackFiles, countPronounOpenings, countSharedTypeNames } from "./words.ts";

/** A figure of the house with its first value and its goal. */
export interface Row {
  readonly name: string;
  /** The first measured value. */
  readonly first: number;
  readonly goal: number;
  /** The current value; null if it is unknown or was not measured. */
  readonly now: number | null;
  /** The number of items from which `now` counts some, if the row shows a share. */
  readonly total?: number;
}

/** The maxima that `npm run check` allows. A change that lowers a figure also lowers its ceiling. */
const CEILINGS = {
  "loose files in server/src": 6,
  "loose files in delivery/": 7,
  "rooms of the house": 40,
  "arrows of the house": 252,
  "rooms of delivery/": 14,
  "arrows of delivery/": 53,
  "type names that several files define": 0,
  "files that know of a clock rollback": 10,
} as const;

/** Returns the figures that are measured from the sources. */
export function measureSources(
  sources: readonly Source[],
  packages: ReadonlyMap<string, string>,
): readonly Row[] {
  const house = buildPlan(sources, { findRoom: findHouseRoom, packages });
  const delivery = buildPlan(sources, { findRoom: findDeliveryRoom, packages });
  const countLoose = (folder: string) => countLooseFiles(sources, folder);
  const sharedTypeNames = countSharedTypeNames(sources);
  const pronounOpenings = countPronounOpenings(sources);
  const clockRollbackFiles = countClockRollbackFiles(sources);
  return [
    { name: "loose files in server/src", first: 38, goal: 8, now: countLoose("server/src") },
    {
      name: "loose files in delivery/",
      first: 46,
      goal: 8,
      now: countLoose("server/src/delivery"),
    },
    { name: "rooms of the house", first: 58, goal: 36, now: house.rooms },
    { name: "arrows of the house", first: 260, goal: 180, now: house.arrows },
    { name: "rooms of delivery/", first: 52, goal: 18, now: delivery.rooms },
    { name: "arrows of delivery/", first: 166, goal: 60, now: delivery.arrows },
    toShareRow("type names that several files define", { first: 52, goal: 5 }, sharedTypeNames),
    toShareRow("comments that begin with a pronoun", { first: 544, goal: 0 }, pronounOpenings),
    { name: "files that know of a clock rollback", first: 29, goal: 5, now: clockRollbackFiles },
  ];
}

/** Returns the figures that are measured from the history; `null` stands for a clone without enough history. */
export function measureHistory(history: readonly Commit[] | null): readonly Row[] {
  const withoutBody = history?.filter(({ hasBody }) => !hasBody).length ?? null;
  const commitTotal = history === null ? {} : { total: history.length };
  const filesTouchedForIcon = history === null ? null : countTouchedFiles("icon", history);
  return [
    { name: "commits without a body", first: 259, goal: 0, now: withoutBody, ...commitTotal },
    { name: "files touched to add `icon`", first: 29, goal: 12, now: filesTouchedForIcon },
  ];
}

/** The path of a notification, as `npm run code-path` measures it. */
export interface CodePathFigures {
  readonly files: readonly string[];
  readonly functions: readonly string[];
  readonly commits: number;
}

/** Returns the figures of the path of a notification; `null` means that it was not measured. */
export function toCodePathRows(codePath: CodePathFigures | null): readonly Row[] {
  const files = codePath?.files.length ?? null;
  const functions = codePath?.functions.length ?? null;
  return [
    { name: "files that a notification enters", first: 92, goal: 60, now: files },
    { name: "functions that it enters", first: 390, goal: 220, now: functions },
    { name: "commits that it takes", first: 3, goal: 2, now: codePath?.commits ?? null },
  ];
}

/** Returns one line per figure above its ceiling. */
export function findExceededCeilings(
  rows: readonly Row[],
  ceilings: Readonly<Record<string, number>> = CEILINGS,
): readonly string[] {
  return rows.flatMap(({ name, now }) => {
    const max = ceilings[name];
    if (max === undefined || now === null || now <= max) return [];
    return [`${name}: ${now} is above the ceiling of ${max} (npm run house)`];
  });
}

/** Returns the lines of a table. */
export function formatTable(rows: readonly Row[]): readonly string[] {
  const cells = rows.map(({ name, first, goal, now, total }) => [
    name,
    String(first),
    `≤ ${goal}`,
    now === null ? "unknown" : `${now}${total === undefined ? "" : ` of ${total}`}`,
  ]);
  const allRows = [["measured", "was", "goal", "now"], ...cells];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...allRows.map((row) => row[column]?.length ?? 0)),
  );
  return allRows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "),
  );
}

function toShareRow(
  name: string,
  { first, goal }: Pick<Row, "first" | "goal">,
  { count, total }: { readonly count: number; readonly total: number },
): Row {
  return { name, first, goal, now: count, total };
}
