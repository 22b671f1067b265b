/** The environment variable that holds the path of the file to which `record-entries.ts` appends. */
export const ENTRIES_FILE_VARIABLE = "TOCSIN_TEST_ENTRIES";

/** The start of a function: a path from `server/src`, a line and a column, as in `ids.ts:12:1`. */
export type FunctionStart = string;

/** The files and functions that a notification enters, in the order of first entry. */
export interface CodePath {
  readonly files: readonly string[];
  readonly functions: readonly FunctionStart[];
}

/**
 * Returns the functions that most recordings entered, in the order of the first recording whose files come in the most
 * common order. This drops timers, which fire in few recordings, and rare orders of concurrent responses, such as from
 * the disk and the push service.
 */
export function findCommonPath(recordings: readonly (readonly FunctionStart[])[]): CodePath {
  const enteredFunctions = recordings.map((starts) => new Set(starts));
  const common = new Set(
    enteredFunctions
      .flatMap((set) => [...set])
      .filter(
        (start) => 2 * countRecordingsWith(enteredFunctions, start) > enteredFunctions.length,
      ),
  );
  const paths = enteredFunctions
    .filter((set) => common.isSubsetOf(set))
    .map((set) => toCodePath([...set].filter((start) => common.has(start))));
  return findMostCommonPath(paths);
}

function countRecordingsWith(
  enteredFunctions: readonly ReadonlySet<FunctionStart>[],
  start: FunctionStart,
): number {
  return enteredFunctions.filter((set) => set.has(start)).length;
}

function toCodePath(functions: readonly FunctionStart[]): CodePath {
  return { functions, files: [...new Set(functions.map(getFilePath))] };
}

function findMostCommonPath(paths: readonly CodePath[]): CodePath {
  const counts = new Map<string, number>();
  for (const { files } of paths) counts.set(files.join(), (counts.get(files.join()) ?? 0) + 1);
  const countRecordings = ({ files }: CodePath) => counts.get(files.join()) ?? 0;
  const [first] = paths.toSorted((a, b) => countRecordings(b) - countRecordings(a));
  if (first === undefined)
    throw new Error("No recording entered all the functions that most recordings entered.");
  return first;
}

/** Returns the path of the function's file. */
export function getFilePath(start: FunctionStart): string {
  return start.slice(0, start.indexOf(":"));
}
