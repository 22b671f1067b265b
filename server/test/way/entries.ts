/** Names the file to which `record-entries.ts` appends. */
export const ENTRIES_VARIABLE = "TOCSIN_TEST_ENTRIES";

/** The path of a file of `server/src` and where in it a function begins, as in `ids.ts:12:1`. */
export type Place = string;

/** The functions of one way: the files in the order in which they are entered first. */
export interface Way {
  readonly files: readonly string[];
  readonly functions: readonly Place[];
}

/**
 * Returns what most of the recordings entered, in the order that most of them had. Timers of the server fire in few
 * recordings; two answers that are under way at once, as of the disk and of the push service, seldom change places.
 */
export function wayOf(recordings: readonly (readonly Place[])[]): Way {
  const sets = recordings.map((places) => new Set(places));
  const common = new Set(
    sets.flatMap((set) => [...set]).filter((place) => 2 * countWith(sets, place) > sets.length),
  );
  const ways = sets
    .filter((set) => common.isSubsetOf(set))
    .map((set) => asWay([...set].filter((place) => common.has(place))));
  return mostCommon(ways);
}

function countWith(sets: readonly ReadonlySet<Place>[], place: Place): number {
  return sets.filter((set) => set.has(place)).length;
}

function asWay(functions: readonly Place[]): Way {
  return { functions, files: [...new Set(functions.map(fileOf))] };
}

function mostCommon(ways: readonly Way[]): Way {
  const counts = new Map<string, number>();
  for (const { files } of ways) counts.set(files.join(), (counts.get(files.join()) ?? 0) + 1);
  const countOf = ({ files }: Way) => counts.get(files.join()) ?? 0;
  const [first] = ways.toSorted((a, b) => countOf(b) - countOf(a));
  if (first === undefined) throw new Error("No recording entered all that most of them did.");
  return first;
}

/** Returns the path of the file that a place is in. */
export function fileOf(place: Place): string {
  return place.slice(0, place.indexOf(":"));
}
